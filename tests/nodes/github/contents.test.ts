import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { githubGetFile, githubPutFile } from '../../../nodes/github/contents.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aGithubServer, blobSha, GITHUB_TOKEN } from '../../support/a-github-server.ts';

let github: Awaited<ReturnType<typeof aGithubServer>>;

beforeAll(async () => {
  github = await aGithubServer();
});
beforeEach(() => {
  github.files.clear();
});
afterAll(() => github.close());

const path = 'docs/a b.md';

const run = async (handle: PluginHandle, parameters: JsonObject = {}) =>
  callNode(
    handle,
    { repository: 'o/r', baseUrl: github.baseUrl, path, ...parameters },
    await aCallingContext({ type: 'httpBearer', secret: { token: GITHUB_TOKEN } }),
  );

/** Method and query of the requests of a run. */
const requestsOf = async (running: () => Promise<unknown>): Promise<string[]> => {
  const { length } = github.received;
  await running();
  return github.received.slice(length).map(({ method, url }) => `${method}${url.replace(/^[^?]*/, '')}`);
};

describe('githubGetFile', () => {
  test('outputs text, or base64', async () => {
    const content = Buffer.from(`tü ${'x'.repeat(100)}`);
    github.files.set(path, content);
    expect(await run(githubGetFile, { ref: 'v1' })).toEqual({
      path,
      sha: blobSha(content),
      size: content.byteLength,
      url: 'https://github.example/o/r/blob/main/docs/a b.md',
      content: content.toString(),
    });
    expect(github.received.at(-1)?.url).toMatch(/\?ref=v1$/);
    expect(await run(githubGetFile, { encoding: 'base64' })).toMatchObject({
      content: content.toString('base64'),
    });
  });

  test.each([
    ['docs', 'is not a file, but a folder'],
    ['sub', 'is not a file, but a submodule'],
    ['big.bin', 'is larger than 1 MB: use httpRequest'],
  ])('%s fails: it %s', async (other, problem) => {
    expect(await failureOf(run(githubGetFile, { path: other }))).toMatchObject({
      message: expect.stringContaining(`Parameter "path" names something that ${problem}`),
      isRetryable: false,
    });
  });

  test('returns an error for bytes that are not text', async () => {
    github.files.set(path, Buffer.from([0xff, 0xfe]));
    await expect(run(githubGetFile)).rejects.toThrow('is not UTF-8 text: use encoding base64');
    expect(await run(githubGetFile, { encoding: 'base64' })).toMatchObject({ content: '//4=' });
  });

  test('fails for a missing file', async () => {
    expect(await failureOf(run(githubGetFile))).toMatchObject({
      message: expect.stringMatching(
        / answered 404: Not Found: check the names, and whether the token may see/,
      ),
      isRetryable: false,
    });
  });

  test.each(['/a', 'a//b', 'a/', '../../../user', 'a/./b', 'a/..'])(
    '%s leads nowhere else',
    async (other) => {
      const running = () => run(githubGetFile, { path: other }).catch((error) => error);
      expect(String(await running())).toMatch(/must not have a part that is empty, \. or \.\./);
      expect(await requestsOf(running)).toEqual([]);
    },
  );

  test.each(['o', '../r', 'o/r/issues', 'o/r?x', 'ö/r'])('%s is not a repository', async (repository) => {
    await expect(run(githubGetFile, { repository })).rejects.toThrow('Parameter "repository" must');
  });
});

describe('githubPutFile', () => {
  const written = { content: 'tü', message: 'Tea' };
  const sha = blobSha(Buffer.from('tü'));

  test('creates a file, replaces it, and leaves identical content unchanged', async () => {
    const change = { changed: true, sha, url: expect.any(String), commit: blobSha(Buffer.from('Tea')) };
    expect(await run(githubPutFile, { ...written, branch: 'dev' })).toEqual(change);
    expect(github.received.at(-2)).toMatchObject({ method: 'GET', url: expect.stringMatching(/\?ref=dev$/) });
    expect(JSON.parse(github.received.at(-1)?.body ?? '')).toEqual({
      message: 'Tea',
      content: 'dMO8',
      branch: 'dev',
    });
    const unchanged = { ...change, changed: false, commit: null };
    expect(await run(githubPutFile, written)).toEqual(unchanged);
    expect(await requestsOf(() => run(githubPutFile, written))).toEqual(['GET']);
    github.files.set(path, Buffer.from('other'));
    expect(await run(githubPutFile, { ...written, content: 'dMO8', encoding: 'base64' })).toEqual(change);
  });

  test('with a sha, replaces only that content', async () => {
    github.files.set(path, Buffer.from('old'));
    expect(
      await requestsOf(() => run(githubPutFile, { ...written, sha: blobSha(Buffer.from('old')) })),
    ).toEqual(['PUT']);
    expect(
      await failureOf(run(githubPutFile, { ...written, sha: blobSha(Buffer.from('old')) })),
    ).toMatchObject({
      isRetryable: false,
      details: { status: 409 },
    });
  });

  test('a change between reading and writing is retryable', async () => {
    github.hooks.push(() => github.files.set(path, Buffer.from('quick')));
    expect(await failureOf(run(githubPutFile, written))).toMatchObject({
      name: 'HttpStatusError',
      isRetryable: true,
      details: { status: 409 },
    });
    expect(await run(githubPutFile, written)).toMatchObject({ changed: true });
  });

  test.each(['dMO', 'dMO8\n', 'd!=='])('%j is not base64', async (content) => {
    await expect(run(githubPutFile, { ...written, content, encoding: 'base64' })).rejects.toThrow(
      'Parameter "content" must be base64',
    );
  });
});
