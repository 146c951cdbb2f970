import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, body, credentials, issueNumber, repository } from './parameters.ts';

export const githubComment = defineAction({
  id: 'githubComment',
  name: 'GitHub: comment',
  description: 'Comments on an issue or a pull request of GitHub',
  parameters: Type.Object({ repository, number: issueNumber, body, baseUrl }),
  credentials,
  example: {
    parameters: { repository: 'octocat/hello-world', number: '{{ number }}', body: 'Deployed' },
    input: { number: 7 },
    output: { id: 1, url: 'https://github.com/octocat/hello-world/issues/7#issuecomment-1' },
  },
  execute: async ({ parameters, context }) => {
    const { addComment } = await import('./issues.chunk.ts');
    return addComment(parameters, context);
  },
});
