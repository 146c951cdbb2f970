import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, credentials, path, repository } from './parameters.ts';

export const githubGetFile = defineAction({
  id: 'githubGetFile',
  name: 'GitHub: get a file',
  description: 'Gets the content of a file of up to 1 MB from a repository of GitHub',
  parameters: Type.Object({
    repository,
    path,
    ref: Type.Optional(
      Type.String({ minLength: 1, description: 'Branch, tag or commit; the default branch when absent' }),
    ),
    encoding: Type.Enum(['utf8', 'base64'], {
      default: 'utf8',
      description: 'How the content is put out: as text, or as base64 of any bytes',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { repository: 'octocat/hello-world', path: 'README.md', ref: '{{ branch }}' },
    input: { branch: 'main' },
    output: {
      path: 'README.md',
      sha: '1856e9be02756984c385482a07e42f42efd5d2f3',
      size: 3,
      url: 'https://github.com/octocat/hello-world/blob/main/README.md',
      content: 'Tea',
    },
  },
  execute: async ({ parameters, context }) => {
    const { getFile } = await import('./contents.chunk.ts');
    return getFile(parameters, context);
  },
});
