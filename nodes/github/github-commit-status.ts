import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, repository } from './parameters.ts';

export const githubCommitStatus = defineAction({
  id: 'githubCommitStatus',
  name: 'GitHub: commit status',
  description: 'Sets the status of a commit of GitHub, as pull requests show it',
  parameters: Type.Object({
    repository,
    sha: Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$', description: 'The commit, in full' }),
    state: Type.Enum(['error', 'failure', 'pending', 'success'], { description: 'The status' }),
    statusContext: Type.String({
      default: 'hookloom',
      minLength: 1,
      maxLength: 255,
      description: 'Which of the statuses of the commit: one replaces another of the same context',
    }),
    description: Type.Optional(Type.String({ maxLength: 140, description: 'A short text beside it' })),
    targetUrl: Type.Optional(
      Type.String({ pattern: '^https?://', maxLength: 2_000, description: 'Where the details are' }),
    ),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { repository: 'octocat/hello-world', sha: '{{ sha }}', state: 'success' },
    input: { sha: '7638417db6d59f3c431d3e1f261cc637155684cd' },
    output: { id: 1, state: 'success', sha: '7638417db6d59f3c431d3e1f261cc637155684cd' },
  },
  execute: async ({ parameters, context }) => {
    const { setCommitStatus } = await import('./repository.chunk.ts');
    return setCommitStatus(parameters, context);
  },
});
