import { Type } from '@hookloom/plugin-kit';

// Parameters that several node types have.

export const repository = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9_.-]{1,100}$',
  description: 'Owner and name, such as octocat/hello-world',
});

export const baseUrl = Type.String({
  default: 'https://api.github.com',
  pattern: '^https?://',
  description: 'URL of the API; of a GitHub Enterprise Server https://HOST/api/v3',
});

export const issueNumber = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: 'Number of the issue or of the pull request',
});

export const title = Type.String({ minLength: 1, maxLength: 256, description: 'Title' });

export const body = Type.String({ maxLength: 65_536, description: 'Text, in Markdown' });

export const labels = Type.Array(Type.String({ minLength: 1 }), {
  maxItems: 100,
  description: 'Names of labels',
});

export const assignees = Type.Array(Type.String({ minLength: 1 }), {
  maxItems: 10,
  description: 'Logins of users',
});

export const milestone = Type.Integer({ minimum: 1, description: 'Number of a milestone' });

export const path = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: 'Path of the file from the root of the repository, such as docs/README.md',
});

/** A personal access token, or one of an installed app. */
export const credentials = { types: ['httpBearer'], required: true } as const;

/** As the nodes put out an issue. */
export const exampleIssue = {
  number: 7,
  title: 'Order A-1 failed',
  state: 'open',
  url: 'https://github.com/octocat/hello-world/issues/7',
  body: 'No tea left',
  author: 'octocat',
  labels: ['bug'],
  assignees: [],
  milestone: null,
  comments: 0,
  isPullRequest: false,
  createdAt: '2026-01-05T10:00:00Z',
  updatedAt: '2026-01-05T10:00:00Z',
  closedAt: null,
} as const;
