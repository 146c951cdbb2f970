import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, path, repository } from './parameters.ts';

export const githubPutFile = defineAction({
  id: 'githubPutFile',
  name: 'GitHub: put a file',
  description:
    'Creates or replaces a file in a repository of GitHub, as a commit. Makes none when the file has this content already',
  parameters: Type.Object({
    repository,
    path,
    content: Type.String({ maxLength: 5_000_000, description: 'The content' }),
    encoding: Type.Enum(['utf8', 'base64'], {
      default: 'utf8',
      description: 'How the content is given: as text, or as base64 of any bytes',
    }),
    message: Type.String({ minLength: 1, maxLength: 10_000, description: 'Message of the commit' }),
    branch: Type.Optional(
      Type.String({ minLength: 1, description: 'Branch; the default branch when absent' }),
    ),
    sha: Type.Optional(
      Type.String({
        pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$',
        description:
          'The `sha` of the file that is replaced, as githubGetFile puts it out: fails when it has changed. Looked up when absent',
      }),
    ),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      path: 'orders/{{ number }}.json',
      content: '{{ $string(order) }}',
      message: 'Order {{ number }}',
    },
    input: { number: 'A-1', order: { total: 5 } },
    output: {
      changed: true,
      sha: '1856e9be02756984c385482a07e42f42efd5d2f3',
      url: 'https://github.com/octocat/hello-world/blob/main/orders/A-1.json',
      commit: '7638417db6d59f3c431d3e1f261cc637155684cd',
    },
  },
  execute: async ({ parameters, context }) => {
    const { putFile } = await import('./contents.chunk.ts');
    return putFile(parameters, context);
  },
});
