import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  isJsonMap,
  isNodeError,
  type JsonAnswer,
  type JsonObject,
  like,
  type NodeContext,
  NodeError,
  Type,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { callGithub, github, type InRepository, path, toMap } from './call-github.ts';

/** The API's answer contains files of up to 1 MB as base64. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

interface FilePlace extends InRepository {
  readonly path: string;
}

const findFile = async (
  place: FilePlace,
  ref: string | undefined,
  context: NodeContext,
): Promise<JsonObject | null> => {
  const answer = await requestContents(place, ref, context, (status) => status === 200 || status === 404);
  return answer.status === 404 ? null : toFile(answer);
};

const requestContents = (
  place: FilePlace,
  ref: string | undefined,
  context: NodeContext,
  isSuccess?: (status: number) => boolean,
): Promise<JsonAnswer> =>
  callGithub(
    place,
    {
      method: 'GET',
      path: ['contents', ...place.path.split('/')],
      query: { ref },
      maxResponseBytes: MAX_ANSWER_BYTES,
      ...(isSuccess === undefined ? {} : { isSuccess }),
    },
    context,
  );

/** Converts a response to a file; for a folder, the response is a list. */
const toFile = (answer: JsonAnswer): JsonObject => {
  const file = toMap(answer);
  if (file.type !== 'file')
    throw unusablePath(`is not a file, but a ${typeof file.type === 'string' ? file.type : 'folder'}`);
  return file;
};

const toBytes = (content: string, encoding: 'utf8' | 'base64'): Buffer => {
  const bytes = Buffer.from(content, encoding);
  // Buffer ignores characters that are not base64.
  if (encoding === 'base64' && Math.ceil(bytes.byteLength / 3) * 4 !== content.length)
    throw wrongParameter('content', 'base64, with its padding and without spaces', content);
  return bytes;
};

/** The id that Git gives to the content of a file in a repository that uses SHA-1. */
const toBlobSha = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');

/** The failure for a file that changed after it was read; the next attempt reads it again. */
const toRetryableConflict = (error: unknown): unknown => {
  if (!isNodeError(error) || error.details?.status !== 409) return error;
  const { name, message, details } = error;
  return new NodeError(message, { name, isRetryable: true, details, cause: error });
};

const unusablePath = (problem: string): NodeError =>
  new NodeError(`Parameter "path" names something that ${problem}`, { isRetryable: false });

export const githubGetFile = github({
  id: 'githubGetFile',
  name: 'GitHub: get a file',
  description: 'Gets the content of a file of up to 1 MB from a GitHub repository',
  parameters: {
    path,
    ref: Type.Optional(
      Type.String({
        holes: 'fail',
        minLength: 1,
        description: 'Branch, tag or commit; the default branch when absent',
      }),
    ),
    encoding: Type.Enum(['utf8', 'base64'], {
      default: 'utf8',
      description: 'How to output the content: as text, or as base64, which can be any bytes',
    }),
  },
  outputs: { main: like({ path: '', sha: '', size: 0, url: '', content: '' }) },
  example: {
    parameters: { repository: 'octocat/hello-world', path: 'README.md', ref: '{{ branch }}' },
    input: { branch: 'main' },
    output: {
      path: 'README.md',
      sha: '1856e9be02756984c385482a07e42f42efd5d2f3',
      size: 3,
      url: 'https://github.com/octocat/hello-world/blob/main/README.md',
      content: 'Tea',
    },
  },
  execute: async ({ ref, encoding, ...place }, context) => {
    const file = toFile(await requestContents(place, ref, context));
    const { sha = null, size = null, html_url = null, content } = file;
    if (file.encoding !== 'base64' || typeof content !== 'string')
      throw unusablePath(
        'is larger than 1 MB: use httpRequest with responseType file and the header accept: application/vnd.github.raw+json',
      );
    const bytes = Buffer.from(content, 'base64');
    if (encoding === 'utf8' && !isUtf8(bytes)) throw unusablePath('is not UTF-8 text: use encoding base64');
    return { path: place.path, sha, size, url: html_url, content: bytes.toString(encoding) };
  },
});

export const githubPutFile = github({
  id: 'githubPutFile',
  name: 'GitHub: put a file',
  description:
    'Creates or replaces a file in a GitHub repository as a commit. Makes no commit if the file already has this content',
  parameters: {
    path,
    content: Type.String({ maxLength: 5_000_000, description: 'The content' }),
    encoding: Type.Enum(['utf8', 'base64'], {
      default: 'utf8',
      description: 'How the content is given: as text, or as base64, which can be any bytes',
    }),
    message: Type.String({ minLength: 1, maxLength: 10_000, description: 'Message of the commit' }),
    branch: Type.Optional(
      Type.String({ holes: 'fail', minLength: 1, description: 'Branch; the default branch when absent' }),
    ),
    sha: Type.Optional(
      Type.String({
        holes: 'fail',
        pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$',
        description:
          'The `sha` of the file to replace, from githubGetFile; fails if the file has changed. Looked up by default',
      }),
    ),
  },
  outputs: { main: like({ changed: true, sha: '', url: '', commit: '' }) },
  example: {
    parameters: {
      repository: 'octocat/hello-world',
      path: 'orders/{{ number }}.json',
      content: '{{ $string(order) }}',
      message: 'Order {{ number }}',
    },
    input: { number: 'A-1', order: { total: 5 } },
    output: {
      changed: true,
      sha: '1856e9be02756984c385482a07e42f42efd5d2f3',
      url: 'https://github.com/octocat/hello-world/blob/main/orders/A-1.json',
      commit: '7638417db6d59f3c431d3e1f261cc637155684cd',
    },
  },
  /**
   * Without a `sha`, the file may or may not exist. A file that already has the content is left alone, so that another
   * attempt makes no second commit.
   */
  execute: async (parameters, context) => {
    const { content, encoding, message, branch, sha: given, ...place } = parameters;
    const bytes = toBytes(content, encoding);
    const found = given === undefined ? await findFile(place, branch, context) : null;
    if (found !== null && found.sha === toBlobSha(bytes))
      return { changed: false, sha: found.sha, url: found.html_url ?? null, commit: null };
    const sha = given ?? found?.sha;
    const body = { message, content: bytes.toString('base64'), branch, sha };
    const call = { method: 'PUT', path: ['contents', ...place.path.split('/')], body };
    const answer = await callGithub(place, call, context).catch((error: unknown) => {
      throw given === undefined ? toRetryableConflict(error) : error;
    });
    const { content: file, commit } = toMap(answer);
    return {
      changed: true,
      sha: isJsonMap(file) ? (file.sha ?? null) : null,
      url: isJsonMap(file) ? (file.html_url ?? null) : null,
      commit: isJsonMap(commit) ? (commit.sha ?? null) : null,
    };
  },
});
