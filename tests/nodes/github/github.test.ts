import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { githubComment } from '../../../nodes/github/issues.ts';
import {
  githubCommitStatus,
  githubCreateRelease,
  githubDispatchWorkflow,
} from '../../../nodes/github/repository.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aGithubServer, GITHUB_TOKEN } from '../../support/a-github-server.ts';
import { aNodeContext } from '../../support/a-node-context.ts';

let github: Awaited<ReturnType<typeof aGithubServer>>;

beforeAll(async () => {
  github = await aGithubServer();
});
beforeEach(() => {
  github.posted.length = 0;
});
afterAll(() => github.close());

const run = async (handle: PluginHandle, parameters: JsonObject, token = GITHUB_TOKEN) =>
  callNode(
    handle,
    { repository: 'o/r', baseUrl: `${github.baseUrl}/`, ...parameters },
    await aCallingContext({ type: 'httpBearer', secret: { token } }),
  );

test('githubDispatchWorkflow sends its inputs as texts', async () => {
  const inputs = { version: '1.2', count: 3, dryRun: false };
  expect(await run(githubDispatchWorkflow, { workflow: 'deploy.yml', inputs })).toEqual({ dispatched: true });
  expect(github.posted).toEqual([
    {
      path: '/actions/workflows/deploy.yml/dispatches',
      body: { ref: 'main', inputs: { version: '1.2', count: '3', dryRun: 'false' } },
    },
  ]);
});

test('githubCreateRelease names the release after its tag', async () => {
  expect(await run(githubCreateRelease, { tag: 'v1' })).toEqual({
    id: 9,
    url: 'https://github.example/r/9',
    tag: 'v1',
    notes: 'Notes',
    uploadUrl: 'https://up.example/9',
  });
  await run(githubCreateRelease, { tag: 'v2', name: 'Two', target: 'main', body: 'B', generateNotes: true });
  expect(github.posted.map(({ body }) => body)).toEqual([
    { tag_name: 'v1', name: 'v1', draft: false, prerelease: false, generate_release_notes: false },
    {
      tag_name: 'v2',
      target_commitish: 'main',
      name: 'Two',
      body: 'B',
      draft: false,
      prerelease: false,
      generate_release_notes: true,
    },
  ]);
});

test('githubCommitStatus sets a status with its own context', async () => {
  const sha = 'a'.repeat(40);
  const parameters = { sha, state: 'success', description: 'ok', targetUrl: 'https://ci.example/1' };
  expect(await run(githubCommitStatus, parameters)).toEqual({ id: 3, state: 'success', sha });
  expect(github.posted[0]?.body).toEqual({
    state: 'success',
    context: 'hookloom',
    description: 'ok',
    target_url: 'https://ci.example/1',
  });
});

describe('a failure of GitHub', () => {
  const failing = (status: number, body: JsonObject, headers: Record<string, string> = {}) => {
    github.failures.push({ status, body, headers });
    return failureOf(run(githubComment, { number: 1, body: 'Hi' }));
  };
  const now = aNodeContext().services.clock.now();

  test('names the permission that the token lacks', async () => {
    const failure = await failing(
      403,
      { message: 'Resource not accessible by personal access token' },
      { 'x-accepted-github-permissions': 'issues=write' },
    );
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        / answered 403: Resource not accessible by personal access token: the token needs issues=write$/,
      ),
      isRetryable: false,
      retryAfterMs: undefined,
    });
  });

  test.each<[JsonObject, string, string | undefined]>([
    [
      { errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
      'Validation Failed: Issue.title missing_field',
      'missing_field',
    ],
    [{ errors: [{ message: 'no such ref', code: 'custom' }] }, 'Validation Failed: no such ref', 'custom'],
    [{ errors: ['is closed'] }, 'Validation Failed: is closed', undefined],
    [{ errors: [7] }, 'Validation Failed', undefined],
    [{ errors: 'no list' }, 'Validation Failed', undefined],
  ])('names the field: %j', async (errors, problem, code) => {
    const { message, details } = await failing(422, { message: 'Validation Failed', ...errors });
    expect(message.replace(/^\S+ answered 422: /, '')).toBe(problem);
    expect(details?.code).toBe(code);
  });

  test.each([
    ['Retry-After', 403, { 'retry-after': '7' }, 7_000],
    ['Retry-After before the reset', 429, { 'retry-after': '7', 'x-ratelimit-remaining': '0' }, 7_000],
    [
      'the time of the reset',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 90) },
      90_000,
    ],
    ['a reset in the past', 429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, 0],
    ['no time', 429, {}, 60_000],
  ] as const)('is retried after %s of a rate limit', async (_case, status, headers, retryAfterMs) => {
    expect(await failing(status, { message: 'slow down' }, headers)).toMatchObject({
      isRetryable: true,
      retryAfterMs,
    });
  });

  test('is retried after a minute for a secondary limit without a time', async () => {
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes.';
    expect(await failing(403, { message })).toMatchObject({ isRetryable: true, retryAfterMs: 60_000 });
  });

  test('is not retried for an invalid token, which is not shown', async () => {
    const failure = await failureOf(run(githubComment, { number: 1, body: 'Hi' }, 'ghp_wrong'));
    expect(failure).toMatchObject({ isRetryable: false, details: { body: { message: 'Bad credentials' } } });
    expect(JSON.stringify(failure)).not.toContain('ghp_wrong');
  });

  test('is retried for a server error', async () => {
    github.failures.push({ status: 502 });
    expect(await failureOf(run(githubComment, { number: 1, body: 'Hi' }))).toMatchObject({
      isRetryable: true,
    });
  });
});

describe('options of the repository', () => {
  const find = async (page: string | null, parameters: JsonObject, token = GITHUB_TOKEN) => {
    const context = await aCallingContext({ type: 'httpBearer', secret: { token } });
    const call = { parameters, credential: context.credential, context, search: '', page };
    return githubComment.options?.repository?.(call);
  };

  test.each([
    [null, 'o/r', '2'],
    ['2', 'o/tea', null],
  ])('are those that the token may see, page %j', async (page, name, nextPage) => {
    expect(await find(page, { baseUrl: `${github.baseUrl}/` })).toEqual({
      options: [{ value: name }],
      nextPage,
    });
    const { searchParams } = new URL(github.received.at(-1)?.url ?? '', github.baseUrl);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ sort: 'pushed', per_page: '100' },
      ...(page !== null && { page }),
    });
  });

  test('say what GitHub says of a token', async () => {
    const failure = await failureOf(find(null, { baseUrl: github.baseUrl }, 'ghp_wrong').then(() => ({})));
    expect(failure.message).toMatch(/ answered 401: Bad credentials/);
  });

  test('are those of github.com, unless a base URL is given', async () => {
    const context = aNodeContext();
    const urls: string[] = [];
    const http = {
      request: async ({ url }: { readonly url: string }) => {
        urls.push(url);
        return { status: 200, headers: {}, body: Buffer.from('[]'), stream: null, url };
      },
    };
    const services = { ...context.services, http };
    const call = {
      parameters: {},
      credential: null,
      context: { ...context, services },
      search: '',
      page: null,
    };
    expect(await githubComment.options?.repository?.(call)).toEqual({ options: [], nextPage: null });
    expect(urls).toEqual(['https://api.github.com/user/repos?sort=pushed&per_page=100']);
  });
});
