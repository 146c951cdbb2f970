import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  githubComment,
  githubCreateIssue,
  githubListIssues,
  githubUpdateIssue,
} from '../../../nodes/github/issues.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aGithubServer, GITHUB_TOKEN } from '../../support/a-github-server.ts';

let github: Awaited<ReturnType<typeof aGithubServer>>;

beforeAll(async () => {
  github = await aGithubServer();
});
beforeEach(() => {
  github.issues.length = 0;
  github.posted.length = 0;
});
afterAll(() => github.close());

const run = async (handle: PluginHandle, parameters: JsonObject, token = GITHUB_TOKEN) =>
  callNode(
    handle,
    { repository: 'o/r', baseUrl: github.baseUrl, ...parameters },
    await aCallingContext({ type: 'httpBearer', secret: { token } }),
  );

const created = { title: 'Tea', body: 'None left', labels: ['bug'] };

test('githubCreateIssue outputs the useful fields of the issue', async () => {
  expect(await run(githubCreateIssue, { ...created, assignees: [], milestone: 2 })).toEqual({
    number: 1,
    title: 'Tea',
    state: 'open',
    url: 'https://github.example/o/r/issues/1',
    body: 'None left',
    author: 'ann',
    labels: ['bug'],
    assignees: [],
    milestone: null,
    comments: 0,
    isPullRequest: false,
    createdAt: '2026-01-05T10:00:00Z',
    updatedAt: '2026-01-05T10:00:00Z',
    closedAt: null,
  });
  expect(github.received.at(-1)?.body).toBe(JSON.stringify({ ...created, assignees: [], milestone: 2 }));
});

test('githubUpdateIssue changes what is given', async () => {
  await run(githubCreateIssue, created);
  const changes = { number: 1, state: 'closed', stateReason: 'not_planned' };
  expect(await run(githubUpdateIssue, changes)).toMatchObject({ title: 'Tea', state: 'closed' });
  expect(github.received.at(-1)).toMatchObject({
    method: 'PATCH',
    body: '{"state":"closed","state_reason":"not_planned"}',
  });
});

test('githubComment outputs the URL of the comment', async () => {
  expect(await run(githubComment, { number: 1, body: 'Hi' })).toEqual({
    id: 5,
    url: 'https://github.example/o/r/issues/1#issuecomment-5',
  });
  expect(github.posted).toEqual([{ path: '/issues/1/comments', body: { body: 'Hi' } }]);
});

describe('githubListIssues', () => {
  const add = (count: number, fields: JsonObject = {}) => {
    for (let index = 0; index < count; index += 1) github.addIssue({ title: `${index}`, ...fields });
  };
  const list = async (parameters: JsonObject = {}) => {
    const { length } = github.received;
    const { issues, hasMore } = (await run(githubListIssues, parameters)) as {
      issues: JsonObject[];
      hasMore: boolean;
    };
    const urls = github.received.slice(length).map(({ url }) => url.replace(/^\S*\/issues/, ''));
    return { numbers: issues.map(({ number }) => number), hasMore, urls };
  };

  test('requests one page if there is one', async () => {
    add(2);
    expect(await list()).toEqual({
      numbers: [1, 2],
      hasMore: false,
      urls: ['?state=open&sort=created&direction=desc&per_page=100'],
    });
  });

  test('requests what its parameters say', async () => {
    const parameters = {
      state: 'all',
      labels: ['a', 'b c'],
      assignee: '*',
      creator: 'ann',
      since: '2026-01-01T00:00:00Z',
      sort: 'updated',
      direction: 'asc',
    };
    expect((await list(parameters)).urls).toEqual([
      '?state=all&labels=a%2Cb+c&assignee=*&creator=ann&since=2026-01-01T00%3A00%3A00Z&sort=updated&direction=asc&per_page=100',
    ]);
  });

  test('follows the pages on its own host, up to maxItems', async () => {
    add(250);
    const all = await list({ maxItems: 250 });
    expect(all).toMatchObject({ hasMore: false, numbers: { length: 250 }, urls: { length: 3 } });
    expect(all.urls[2]).toBe('?state=open&sort=created&direction=desc&per_page=100&page=3');
    expect(await list({ maxItems: 200 })).toMatchObject({
      hasMore: true,
      numbers: { length: 200 },
      urls: { length: 2 },
    });
    expect(await list({ maxItems: 120 })).toMatchObject({
      hasMore: true,
      numbers: { length: 120 },
      urls: { length: 2 },
    });
  });

  test('leaves out pull requests unless requested', async () => {
    add(1, { pull_request: {} });
    add(1);
    expect((await list()).numbers).toEqual([2]);
    expect((await list({ includePullRequests: true })).numbers).toEqual([1, 2]);
  });

  test('fails for a response that is not a list', async () => {
    github.failures.push({ status: 200, body: { hello: 'world' } });
    expect(await failureOf(list())).toMatchObject({
      message: expect.stringMatching(/^GitHub did not answer with a list of issues/),
      isRetryable: false,
    });
  });
});
