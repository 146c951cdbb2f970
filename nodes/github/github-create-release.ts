import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, body, credentials, repository } from './parameters.ts';

export const githubCreateRelease = defineAction({
  id: 'githubCreateRelease',
  name: 'GitHub: create a release',
  description: 'Creates a release in a repository of GitHub, and its tag where there is none',
  parameters: Type.Object({
    repository,
    tag: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the tag, such as v1.2.0' }),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Branch or commit that a new tag is made from; the default branch when absent',
      }),
    ),
    name: Type.Optional(
      Type.String({ maxLength: 200, description: 'Name of the release; the tag when absent' }),
    ),
    body: Type.Optional({ ...body, maxLength: 125_000 }),
    draft: Type.Boolean({ default: false, description: 'Keep it unpublished' }),
    prerelease: Type.Boolean({ default: false, description: 'Mark it as not ready for production' }),
    generateNotes: Type.Boolean({
      default: false,
      description: 'Add notes from the pull requests since the last release',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: { repository: 'octocat/hello-world', tag: 'v{{ version }}', body: 'More tea' },
    input: { version: '1.2.0' },
    output: {
      id: 1,
      url: 'https://github.com/octocat/hello-world/releases/tag/v1.2.0',
      tag: 'v1.2.0',
      notes: 'More tea',
      uploadUrl: 'https://uploads.github.com/repos/octocat/hello-world/releases/1/assets{?name,label}',
    },
  },
  execute: async ({ parameters, context }) => {
    const { createRelease } = await import('./repository.chunk.ts');
    return createRelease(parameters, context);
  },
});
