import { like, Type } from '@hookloom/plugin-kit';
import { body, github } from './call-github.ts';

export const githubCreateRelease = github({
  id: 'githubCreateRelease',
  name: 'GitHub: create a release',
  description: 'Creates a release in a GitHub repository, and its tag if it does not exist',
  parameters: {
    tag: Type.String({
      holes: 'fail',
      minLength: 1,
      maxLength: 200,
      description: 'Name of the tag, such as v1.2.0',
    }),
    target: Type.Optional(
      Type.String({
        holes: 'fail',
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
  },
  outputs: { main: like({ id: 1, url: '', tag: '', notes: '', uploadUrl: '' }) },
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
  request: ({ tag, target, name = tag, body, draft, prerelease, generateNotes }) => ({
    method: 'POST',
    path: ['releases'],
    body: {
      tag_name: tag,
      target_commitish: target,
      name,
      body,
      draft,
      prerelease,
      generate_release_notes: generateNotes,
    },
  }),
  output: (
    { id = null, html_url: url = null, body: notes = null, upload_url: uploadUrl = null },
    { tag },
  ) => ({
    id,
    url,
    tag,
    notes,
    uploadUrl,
  }),
});

export const githubCommitStatus = github({
  id: 'githubCommitStatus',
  name: 'GitHub: commit status',
  description: 'Sets the status of a GitHub commit, which pull requests show',
  parameters: {
    sha: Type.String({
      holes: 'fail',
      pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$',
      description: 'The commit, in full',
    }),
    state: Type.Enum(['error', 'failure', 'pending', 'success'], { description: 'The status' }),
    statusContext: Type.String({
      holes: 'fail',
      default: 'hookloom',
      minLength: 1,
      maxLength: 255,
      description: 'The name of the status: it replaces an earlier one with the same context',
    }),
    description: Type.Optional(Type.String({ maxLength: 140, description: 'A short description' })),
    targetUrl: Type.Optional(
      Type.String({ pattern: '^https?://', maxLength: 2_000, description: 'URL with details' }),
    ),
  },
  outputs: { main: like({ id: 1, state: '', sha: '' }) },
  example: {
    parameters: { repository: 'octocat/hello-world', sha: '{{ sha }}', state: 'success' },
    input: { sha: '7638417db6d59f3c431d3e1f261cc637155684cd' },
    output: { id: 1, state: 'success', sha: '7638417db6d59f3c431d3e1f261cc637155684cd' },
  },
  request: ({ sha, state, statusContext, description, targetUrl }) => ({
    method: 'POST',
    path: ['statuses', sha],
    body: { state, context: statusContext, description, target_url: targetUrl },
  }),
  output: ({ id = null }, { state, sha }) => ({ id, state, sha }),
});

export const githubDispatchWorkflow = github({
  id: 'githubDispatchWorkflow',
  name: 'GitHub: run a workflow',
  description: 'Starts a GitHub Actions workflow that has the trigger workflow_dispatch',
  parameters: {
    workflow: Type.String({
      holes: 'fail',
      minLength: 1,
      maxLength: 200,
      description: 'Its file, such as deploy.yml, or its id',
    }),
    ref: Type.String({
      holes: 'fail',
      default: 'main',
      minLength: 1,
      description: 'Branch or tag to run it on',
    }),
    inputs: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
      default: {},
      description: 'Its inputs by name',
    }),
  },
  outputs: { main: like({ dispatched: true }) },
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      workflow: 'deploy.yml',
      inputs: { version: '{{ version }}' },
    },
    input: { version: '1.2.0' },
    output: { dispatched: true },
  },
  request: ({ workflow, ref, inputs }) => {
    // As strings, the only type that every version of the API accepts.
    const texts = Object.entries(inputs).map(([name, value]) => [name, String(value)]);
    const path = ['actions', 'workflows', workflow, 'dispatches'];
    return { method: 'POST', path, body: { ref, inputs: Object.fromEntries(texts) } };
  },
  output: () => ({ dispatched: true }),
});
