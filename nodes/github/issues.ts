import {
  closed,
  findNextLink,
  isJsonMap,
  type JsonObject,
  type JsonValue,
  like,
  NodeError,
  Type,
} from '@hookloom/plugin-kit';
import {
  assignees,
  body,
  callGithub,
  exampleIssue,
  type GithubCall,
  github,
  issueNumber,
  labels,
  milestone,
  title,
} from './call-github.ts';

/** The useful part of an issue, which is a tenth of what GitHub sends. */
const toIssue = (issue: JsonObject): JsonObject => ({
  number: issue.number ?? null,
  title: issue.title ?? null,
  state: issue.state ?? null,
  url: issue.html_url ?? null,
  body: issue.body ?? null,
  author: nameOf(issue.user, 'login'),
  labels: namesOf(issue.labels, 'name'),
  assignees: namesOf(issue.assignees, 'login'),
  milestone: nameOf(issue.milestone, 'title'),
  comments: issue.comments ?? 0,
  isPullRequest: isPullRequest(issue),
  createdAt: issue.created_at ?? null,
  updatedAt: issue.updated_at ?? null,
  closedAt: issue.closed_at ?? null,
});

/** Whether an issue is a pull request: the API treats pull requests as issues that have this field. */
const isPullRequest = (issue: JsonObject): boolean => isJsonMap(issue.pull_request);

/** Returns a name, such as a label's, which may also be a plain string. */
const nameOf = (value: JsonValue | undefined, key: string): JsonValue =>
  typeof value === 'string' ? value : isJsonMap(value) ? (value[key] ?? null) : null;

const namesOf = (values: JsonValue | undefined, key: string): readonly JsonValue[] =>
  Array.isArray(values) ? values.map((value) => nameOf(value, key)) : [];

/** Maximum number of issues that GitHub returns per page. */
const PAGE_SIZE = 100;
/** More pages than needed for issues, since pull requests on them are left out. */
const MAX_PAGES = 50;
/** Maximum size of a response: a page of issues with the longest texts. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

const findNextQuery = (link: string): JsonObject | null => {
  const next = findNextLink(link);
  const url = next === null ? null : URL.parse(next);
  return url === null ? null : Object.fromEntries(url.searchParams);
};

export const githubCreateIssue = github({
  id: 'githubCreateIssue',
  name: 'GitHub: create an issue',
  description: 'Creates an issue in a GitHub repository',
  parameters: {
    title,
    body: Type.Optional(body),
    labels: Type.Optional(labels),
    assignees: Type.Optional(assignees),
    milestone: Type.Optional(milestone),
  },
  outputs: { main: like(exampleIssue) },
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      title: 'Order {{ number }} failed',
      body: '{{ reason }}',
      labels: ['bug'],
    },
    input: { number: 'A-1', reason: 'No tea left' },
    output: exampleIssue,
  },
  request: (body) => ({ method: 'POST', path: ['issues'], body }),
  output: toIssue,
});

export const githubUpdateIssue = github({
  id: 'githubUpdateIssue',
  name: 'GitHub: update an issue',
  description:
    'Changes, closes or reopens a GitHub issue or pull request. Parameters that are not given change nothing',
  parameters: {
    number: issueNumber,
    title: Type.Optional(title),
    body: Type.Optional(body),
    state: Type.Optional(Type.Enum(['open', 'closed'], { description: 'Close or reopen it' })),
    stateReason: Type.Optional(
      Type.Enum(['completed', 'not_planned', 'duplicate', 'reopened'], { description: 'Why' }),
    ),
    labels: Type.Optional(labels),
    assignees: Type.Optional(assignees),
    milestone: Type.Optional(milestone),
  },
  outputs: { main: like(exampleIssue) },
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      number: '{{ number }}',
      state: 'closed',
      stateReason: 'completed',
    },
    input: { number: 7 },
    output: { ...exampleIssue, state: 'closed', closedAt: '2026-01-05T11:00:00Z' },
  },
  request: ({ number, stateReason, ...fields }) => ({
    method: 'PATCH',
    path: ['issues', String(number)],
    body: { ...fields, state_reason: stateReason },
  }),
  output: toIssue,
});

export const githubComment = github({
  id: 'githubComment',
  name: 'GitHub: comment',
  description: 'Comments on a GitHub issue or pull request',
  parameters: { number: issueNumber, body },
  outputs: { main: like({ id: 1, url: '' }) },
  example: {
    parameters: { repository: 'octocat/hello-world', number: '{{ number }}', body: 'Deployed' },
    input: { number: 7 },
    output: { id: 1, url: 'https://github.com/octocat/hello-world/issues/7#issuecomment-1' },
  },
  request: ({ number, body }) => ({
    method: 'POST',
    path: ['issues', String(number), 'comments'],
    body: { body },
  }),
  output: ({ id = null, html_url: url = null }) => ({ id, url }),
});

export const githubListIssues = github({
  id: 'githubListIssues',
  name: 'GitHub: list issues',
  description: 'Lists the issues of a GitHub repository. Outputs { issues, hasMore }',
  parameters: {
    state: Type.Enum(['open', 'closed', 'all'], { default: 'open', description: 'Which issues' }),
    labels: { ...labels, default: [], description: 'Only issues with all of these labels' },
    assignee: Type.Optional(
      Type.String({
        holes: 'fail',
        minLength: 1,
        description: 'Only issues assigned to this login; none or * for nobody or anybody',
      }),
    ),
    creator: Type.Optional(
      Type.String({ holes: 'fail', minLength: 1, description: 'Only issues opened by this login' }),
    ),
    since: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{1,20}Z$',
        description: 'Only issues changed since this time (ISO 8601, UTC)',
      }),
    ),
    sort: Type.Enum(['created', 'updated', 'comments'], { default: 'created', description: 'Order' }),
    direction: Type.Enum(['asc', 'desc'], { default: 'desc', description: 'Sort direction' }),
    includePullRequests: Type.Boolean({
      default: false,
      description: 'Also list pull requests, which are issues for the API',
    }),
    maxItems: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 1_000,
      description: 'How many to list, from up to 50 pages of 100',
    }),
  },
  outputs: { main: closed({ issues: Type.Array(like(exampleIssue)), hasMore: Type.Boolean() }) },
  example: {
    parameters: { repository: 'octocat/hello-world', labels: ['bug'], since: '{{ lastRun }}' },
    input: { lastRun: '2026-01-05T00:00:00Z' },
    output: { issues: [exampleIssue], hasMore: false },
  },
  /** All pages in one attempt. Only the query of the link to the next page is used, so that `baseUrl` decides on the host. */
  execute: async (parameters, context) => {
    const { state, labels, sort, direction, includePullRequests, maxItems } = parameters;
    const { assignee, creator, since } = parameters;
    const issues: JsonObject[] = [];
    let query: GithubCall['query'] | null = {
      state,
      labels: labels.join(',') || null,
      assignee,
      creator,
      since,
      sort,
      direction,
      per_page: PAGE_SIZE,
    };
    for (let page = 1; query !== null && page <= MAX_PAGES && issues.length < maxItems; page += 1) {
      const call = { method: 'GET', path: ['issues'], query, maxResponseBytes: MAX_PAGE_BYTES };
      const { headers, body } = await callGithub(parameters, call, context);
      if (!Array.isArray(body))
        throw new NodeError(
          'GitHub did not answer with a list of issues: check that baseUrl is the URL of the API',
          { isRetryable: false },
        );
      for (const issue of body)
        if (isJsonMap(issue) && (includePullRequests || !isPullRequest(issue))) issues.push(toIssue(issue));
      query = findNextQuery(headers.link ?? '');
    }
    const hasMore = query !== null || issues.length > maxItems;
    return { issues: issues.slice(0, maxItems), hasMore };
  },
});
