import { defineAction, Type } from '@hookloom/plugin-kit';
import { baseUrl, body, callGithub, credentials, repository, toMap } from './call-github.ts';

export const githubCreateRelease = defineAction({
  id: 'githubCreateRelease',
  name: 'GitHub: create a release',
  description: 'Creates a release in a GitHub repository, and its tag if it does not exist',
  parameters: Type.Object({
    repository,
    tag: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the tag, such as v1.2.0' }),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Branch or commit for a new tag; by default the default branch',
      }),
    ),
    name: Type.Optional(
      Type.String({ maxLength: 200, description: 'Name of the release; by default the tag' }),
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
    const { tag, target, name = tag, body, draft, prerelease, generateNotes } = parameters;
    const fields = {
      tag_name: tag,
      ...(target === undefined ? {} : { target_commitish: target }),
      name,
      ...(body === undefined ? {} : { body }),
      draft,
      prerelease,
      generate_release_notes: generateNotes,
    };
    const answer = await callGithub(
      parameters,
      { method: 'POST', path: ['releases'], body: fields },
      context,
    );
    const { id = null, html_url = null, body: notes = null, upload_url = null } = toMap(answer);
    return { id, url: html_url, tag, notes, uploadUrl: upload_url };
  },
});

export const githubCommitStatus = defineAction({
  id: 'githubCommitStatus',
  name: 'GitHub: commit status',
  description: 'Sets the status of a GitHub commit, which pull requests show',
  parameters: Type.Object({
    repository,
    sha: Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$', description: 'The commit, in full' }),
    state: Type.Enum(['error', 'failure', 'pending', 'success'], { description: 'The status' }),
    statusContext: Type.String({
      default: 'hookloom',
      minLength: 1,
      maxLength: 255,
      description: 'The name of the status: it replaces an earlier one with the same context',
    }),
    description: Type.Optional(Type.String({ maxLength: 140, description: 'A short description' })),
    targetUrl: Type.Optional(
      Type.String({ pattern: '^https?://', maxLength: 2_000, description: 'URL with details' }),
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
    const { sha, state, statusContext, description, targetUrl } = parameters;
    const body = {
      state,
      context: statusContext,
      ...(description === undefined ? {} : { description }),
      ...(targetUrl === undefined ? {} : { target_url: targetUrl }),
    };
    const call = { method: 'POST', path: ['statuses', sha], body };
    const { id = null } = toMap(await callGithub(parameters, call, context));
    return { id, state, sha };
  },
});

export const githubDispatchWorkflow = defineAction({
  id: 'githubDispatchWorkflow',
  name: 'GitHub: run a workflow',
  description: 'Starts a GitHub Actions workflow that has the trigger workflow_dispatch',
  parameters: Type.Object({
    repository,
    workflow: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Its file, such as deploy.yml, or its id',
    }),
    ref: Type.String({ default: 'main', minLength: 1, description: 'Branch or tag to run it on' }),
    inputs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      default: {},
      description: 'Its inputs by name',
    }),
    baseUrl,
  }),
  credentials,
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      workflow: 'deploy.yml',
      inputs: { version: '{{ version }}' },
    },
    input: { version: '1.2.0' },
    output: { dispatched: true },
  },
  execute: async ({ parameters, context }) => {
    const { workflow, ref } = parameters;
    // As strings, the only type that every version of the API accepts.
    const inputs = Object.fromEntries(
      Object.entries(parameters.inputs).map(([name, value]) => [name, String(value)]),
    );
    const path = ['actions', 'workflows', workflow, 'dispatches'];
    await callGithub(parameters, { method: 'POST', path, body: { ref, inputs } }, context);
    return { dispatched: true };
  },
});
