import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { aLocalServer, type ReceivedRequest } from './a-local-server.ts';

export const GITHUB_TOKEN = 'github_pat_canary';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** The id that Git gives to a content. */
export const blobSha = (content: Uint8Array): string =>
  createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');

/**
 * A server with the endpoints of GitHub's REST API that the nodes call, of one repository, `o/r`, under `/api/v3` as an
 * Enterprise Server has them.
 */
export const aGithubServer = async () => {
  const issues: JsonObject[] = [];
  const files = new Map<string, Buffer>();
  const posted: { readonly path: string; readonly body: JsonObject }[] = [];
  /** What the next requests are answered with, in place of what they ask for. */
  const failures: Answer[] = [];
  /** Called before a file is written, as another client would be at work. */
  const hooks: (() => void)[] = [];

  const endpoint =
    (answer: (request: ReceivedRequest, given: JsonObject) => Answer) =>
    (request: ReceivedRequest, response: ServerResponse): void => {
      const { authorization, accept, 'x-github-api-version': version } = request.headers;
      const isValid = accept === 'application/vnd.github+json' && version === '2022-11-28';
      const answered: Answer = !isValid
        ? { status: 415 }
        : authorization !== `Bearer ${GITHUB_TOKEN}`
          ? { status: 401, body: { message: 'Bad credentials' } }
          : (failures.shift() ?? answer(request, request.body === '' ? {} : JSON.parse(request.body)));
      const { status, headers = {}, body } = answered;
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
      response.end(body === undefined ? '' : JSON.stringify(body));
    };
  const keep = (answer: Answer) =>
    endpoint(({ url }, body) => {
      posted.push({ path: url.replace('/api/v3/repos/o/r', ''), body });
      return answer;
    });

  const addIssue = (fields: JsonObject): JsonObject => {
    const number = issues.length + 1;
    const issue = {
      number,
      state: 'open',
      html_url: `https://github.example/o/r/issues/${number}`,
      user: { login: 'ann' },
      milestone: null,
      comments: 0,
      created_at: '2026-01-05T10:00:00Z',
      updated_at: '2026-01-05T10:00:00Z',
      closed_at: null,
      ...fields,
    };
    issues.push(issue);
    return issue;
  };

  const listIssues = ({ url }: ReceivedRequest): Answer => {
    const { searchParams } = new URL(url, 'http://github');
    const page = Number(searchParams.get('page') ?? 1);
    const size = Number(searchParams.get('per_page') ?? 30);
    const found = issues.slice((page - 1) * size, page * size);
    searchParams.set('page', String(page + 1));
    // As GitHub has it: by the id of the repository, on its own host.
    const next = `<https://github.example/repositories/1/issues?${searchParams}>; rel="next"`;
    return { status: 200, headers: page * size < issues.length ? { link: next } : {}, body: found };
  };

  /** The repositories that the token may see, one on each of two pages. */
  const listRepositories = ({ url }: ReceivedRequest): Answer => {
    const { searchParams } = new URL(url, 'http://github');
    const name = searchParams.has('page') ? 'o/tea' : 'o/r';
    searchParams.set('page', '2');
    const link = `<https://github.example/user/repos?${searchParams}>; rel="next"`;
    return { status: 200, headers: name === 'o/r' ? { link } : {}, body: [{ id: 1, full_name: name }] };
  };

  const contents = (path: string) =>
    endpoint(({ method }, given) => {
      if (method === 'PUT') for (const hook of hooks.splice(0)) hook();
      const found = files.get(path);
      if (method === 'GET')
        return found === undefined
          ? { status: 404, body: { message: 'Not Found' } }
          : { status: 200, body: describeFile(path, found) };
      const isCurrent = given.sha === (found === undefined ? undefined : blobSha(found));
      if (!isCurrent) return { status: 409, body: { message: `${path} does not match ${given.sha}` } };
      const content = Buffer.from(String(given.content), 'base64');
      files.set(path, content);
      const commit = { sha: blobSha(Buffer.from(String(given.message))) };
      return { status: 200, body: { content: describeFile(path, content), commit } };
    });

  const root = '/api/v3/repos/o/r';
  const server = await aLocalServer({
    '/api/v3/user/repos': endpoint(listRepositories),
    [`${root}/issues`]: endpoint((request, given) => {
      if (request.method === 'GET') return listIssues(request);
      return { status: 201, body: addIssue({ ...given, labels: toLabels(given.labels) }) };
    }),
    [`${root}/issues/1`]: endpoint((_request, given) => {
      issues[0] = { ...issues[0], ...given };
      return { status: 200, body: issues[0] };
    }),
    [`${root}/issues/1/comments`]: keep({
      status: 201,
      body: { id: 5, html_url: 'https://github.example/o/r/issues/1#issuecomment-5' },
    }),
    [`${root}/contents/docs/a%20b.md`]: contents('docs/a b.md'),
    [`${root}/contents/docs`]: endpoint(() => ({ status: 200, body: [] })),
    [`${root}/contents/sub`]: endpoint(() => ({ status: 200, body: { type: 'submodule' } })),
    [`${root}/contents/big.bin`]: endpoint(() => ({
      status: 200,
      body: { type: 'file', encoding: 'none', content: '', sha: 'x', size: 2_000_000 },
    })),
    [`${root}/actions/workflows/deploy.yml/dispatches`]: keep({ status: 204 }),
    [`${root}/releases`]: keep({
      status: 201,
      body: {
        id: 9,
        html_url: 'https://github.example/r/9',
        body: 'Notes',
        upload_url: 'https://up.example/9',
      },
    }),
    [`${root}/statuses/${'a'.repeat(40)}`]: keep({ status: 201, body: { id: 3, state: 'success' } }),
  });
  const { origin, received, close } = server;
  return { baseUrl: `${origin}/api/v3`, received, issues, files, posted, failures, hooks, addIssue, close };
};

const toLabels = (labels: JsonValue = []): JsonValue =>
  Array.isArray(labels) ? labels.map((name) => ({ name })) : [];

const describeFile = (path: string, content: Buffer): JsonObject => ({
  type: 'file',
  encoding: 'base64',
  size: content.byteLength,
  sha: blobSha(content),
  // In lines, as GitHub has it.
  content: content.toString('base64').replaceAll(/.{60}/g, '$&\n'),
  html_url: `https://github.example/o/r/blob/main/${path}`,
});
