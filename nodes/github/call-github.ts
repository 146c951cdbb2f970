import {
  type ApiFailure,
  asFinal,
  callJsonApi,
  defineApp,
  type FindOptions,
  findNextLink,
  findProblem,
  isJsonMap,
  type JsonAnswer,
  type JsonApiCall,
  type JsonObject,
  type JsonValue,
  joinUrl,
  type NodeContext,
  readRetryAfter,
  Type,
} from '@hookloom/plugin-kit';

/** A parameter of most node types, and the one that names the API. */
export interface InRepository {
  readonly repository: string;
  readonly baseUrl: string;
}

export interface GithubCall
  extends Pick<JsonApiCall, 'method' | 'query' | 'body' | 'maxResponseBytes' | 'isSuccess'> {
  /** Path segments within the repository, not yet encoded. */
  readonly path: readonly string[];
}

const API_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

/** Sends a request about a repository to GitHub's REST API. @throws NodeError with GitHub's own message */
export const callGithub = (
  { repository, baseUrl }: InRepository,
  { path, isSuccess, ...call }: GithubCall,
  context: NodeContext,
): Promise<JsonAnswer> =>
  callJsonApi(
    {
      ...call,
      url: joinUrl(baseUrl, toPath(['repos', ...repository.split('/'), ...path])),
      headers: API_HEADERS,
      ...(isSuccess === undefined ? {} : { isSuccess }),
      findFailure: (answer, now) => (isSuccess?.(answer.status) ? null : findGithubFailure(answer, now)),
    },
    context,
  );

/** The body of a response as a map; empty if it is not one. */
export const toMap = ({ body }: JsonAnswer): JsonObject => (isJsonMap(body) ? body : {});

/** How long GitHub asks clients to wait if a secondary rate limit names no time. */
const SECONDARY_LIMIT_MS = 60_000;

/**
 * Reads a failure of the REST API: GitHub's message, and whether it is a rate limit, which has the status 403 or 429.
 * @see https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
const findGithubFailure = (answer: JsonAnswer, now: number): ApiFailure | null => {
  if (answer.status < 400) return null;
  const retryAfterMs = findRateLimit(answer, now);
  return {
    ...describeGithubFailure(answer),
    ...(retryAfterMs === null ? {} : { isRetryable: true, retryAfterMs }),
  };
};

/** Returns the milliseconds until the next attempt; null if the failure is not a rate limit. */
const findRateLimit = ({ status, headers, body }: JsonAnswer, now: number): number | null => {
  if (status !== 403 && status !== 429) return null;
  const retryAfterMs = readRetryAfter(429, headers, now);
  if (retryAfterMs !== undefined) return retryAfterMs;
  const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset = '' } = headers;
  if (remaining === '0' && /^\d{1,12}$/.test(reset)) return Math.max(0, Number(reset) * 1_000 - now);
  const isSecondary = status === 429 || /\brate limit\b/i.test(findProblem(body) ?? '');
  return isSecondary ? SECONDARY_LIMIT_MS : null;
};

const describeGithubFailure = ({ status, headers, body }: JsonAnswer): ApiFailure => {
  const problem = findProblem(body);
  if (problem === null) return {};
  const [first] = readErrors(body);
  const permissions = headers['x-accepted-github-permissions'];
  const hint =
    status === 404
      ? ': check the names, and whether the token may see the repository'
      : status === 403 && permissions !== undefined
        ? `: the token needs ${permissions}`
        : '';
  return {
    problem: `${problem}${first === undefined ? hint : `: ${first.text}`}`.slice(0, 300),
    ...(first?.code === undefined ? {} : { code: first.code }),
  };
};

/** The problems of a 422: `{ resource, field, code, message? }` or a text. */
const readErrors = (body: JsonValue): { readonly text: string; readonly code?: string }[] => {
  const errors = isJsonMap(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.flatMap((error: JsonValue) => {
    if (typeof error === 'string') return [{ text: error }];
    if (!isJsonMap(error)) return [];
    const { resource, field, code, message } = error;
    const place = [resource, field].filter((part) => typeof part === 'string').join('.');
    const text = typeof message === 'string' ? message : String(code ?? 'is not valid');
    return [{ text: `${place} ${text}`.trim(), ...(typeof code === 'string' ? { code } : {}) }];
  });
};

// Parameters that several node types have.

const repository = Type.String({
  holes: 'fail',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9_.-]{1,100}$',
  description: 'Owner and name, such as octocat/hello-world',
});

const baseUrl = Type.String({
  default: 'https://api.github.com',
  pattern: '^https?://',
  description: 'URL of the API; https://HOST/api/v3 for a GitHub Enterprise Server',
});

export const issueNumber = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: 'Number of the issue or pull request',
});

export const title = Type.String({ minLength: 1, maxLength: 256, description: 'Title' });

export const body = Type.String({ maxLength: 65_536, description: 'Text, in Markdown' });

export const labels = Type.Array(Type.String({ holes: 'fail', minLength: 1 }), {
  maxItems: 100,
  description: 'Names of labels',
});

export const assignees = Type.Array(Type.String({ holes: 'fail', minLength: 1 }), {
  maxItems: 10,
  description: 'Logins of users',
});

export const milestone = Type.Integer({ minimum: 1, description: 'Number of a milestone' });

export const path = Type.String({
  holes: 'fail',
  minLength: 1,
  maxLength: 1_000,
  description: 'Path of the file from the root of the repository, such as docs/README.md',
});

/** The repositories that the token may see, a page of them, those that changed last first. */
const findRepositories: FindOptions = async ({ parameters, context, page }) => {
  const base = typeof parameters.baseUrl === 'string' ? parameters.baseUrl : 'https://api.github.com';
  const { body, headers } = await callJsonApi(
    {
      method: 'GET',
      url: joinUrl(base, '/user/repos'),
      query: { sort: 'pushed', per_page: 100, page },
      headers: API_HEADERS,
      findFailure: findGithubFailure,
      maxResponseBytes: 4 * 1024 * 1024,
    },
    context,
  );
  const found = Array.isArray(body) ? body.filter(isJsonMap) : [];
  const next = findNextLink(headers.link ?? '');
  return {
    options: found.map(({ full_name: name }) => ({ value: String(name) })),
    nextPage: next === null ? null : (URL.parse(next)?.searchParams.get('page') ?? null),
  };
};

/** The operations of GitHub's REST API on one repository. */
export const github = defineApp({
  // A personal access token, or a token of an installed app.
  credentials: { types: ['httpBearer'], required: true },
  before: { repository },
  after: { baseUrl },
  options: { repository: findRepositories },
  send: async (call: GithubCall, parameters, context) => toMap(await callGithub(parameters, call, context)),
});

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

/**
 * Joins encoded segments to a path.
 * @throws RangeError if a segment is empty or would lead elsewhere: URLs resolve dots, even encoded ones
 */
const toPath = (segments: readonly string[]): string => {
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..')
      throw asFinal(
        new RangeError(
          'A path, a repository or a name for GitHub must not have a part that is empty, . or ..',
        ),
      );
  }
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
};
