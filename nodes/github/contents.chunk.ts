import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  isJsonMap,
  isNodeError,
  type JsonAnswer,
  type JsonObject,
  type NodeContext,
  NodeError,
  wrongParameter,
} from '@hookloom/plugin-kit';
import { callGithub, type InRepository, toMap } from './call-github.ts';

/** The API has files of up to 1 MB in its answer, as base64. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

interface FilePlace extends InRepository {
  readonly path: string;
}

interface FileRequest extends FilePlace {
  readonly ref?: string;
  readonly encoding: 'utf8' | 'base64';
}

/** Gets a file by the endpoint for contents, as JSON. @throws NodeError for a folder, and for a file of more than 1 MB */
export const getFile = async (
  { ref, encoding, ...place }: FileRequest,
  context: NodeContext,
): Promise<JsonObject> => {
  const file = toFile(await requestContents(place, ref, context));
  const { sha = null, size = null, html_url = null, content } = file;
  if (file.encoding !== 'base64' || typeof content !== 'string')
    throw refuse(
      'is larger than 1 MB: get it by httpRequest with responseType file and the header accept: application/vnd.github.raw+json',
    );
  const bytes = Buffer.from(content, 'base64');
  if (encoding === 'utf8' && !isUtf8(bytes)) throw refuse('is no UTF-8 text: use encoding base64');
  return { path: place.path, sha, size, url: html_url, content: bytes.toString(encoding) };
};

interface FileContent extends FilePlace {
  readonly content: string;
  readonly encoding: 'utf8' | 'base64';
  readonly message: string;
  readonly branch?: string;
  readonly sha?: string;
}

/**
 * Writes a file as a commit. Without a `sha`, the file may or may not exist; one that has the content already is left
 * alone, so that another attempt makes no second commit.
 *
 * @throws NodeError for a change between reading and writing, which is retryable without a `sha`
 */
export const putFile = async (
  { content, encoding, message, branch, sha: given, ...place }: FileContent,
  context: NodeContext,
): Promise<JsonObject> => {
  const bytes = toBytes(content, encoding);
  const found = given === undefined ? await findFile(place, branch, context) : null;
  if (found !== null && found.sha === toBlobSha(bytes))
    return { changed: false, sha: found.sha, url: found.html_url ?? null, commit: null };
  const sha = given ?? found?.sha;
  const body = {
    message,
    content: bytes.toString('base64'),
    ...(branch === undefined ? {} : { branch }),
    ...(sha === undefined ? {} : { sha }),
  };
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
};

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
      query: { ref: ref ?? null },
      maxResponseBytes: MAX_ANSWER_BYTES,
      ...(isSuccess === undefined ? {} : { isSuccess }),
    },
    context,
  );

/** Of a folder, the answer is a list. */
const toFile = (answer: JsonAnswer): JsonObject => {
  const file = toMap(answer);
  if (file.type !== 'file')
    throw refuse(`is no file, but a ${typeof file.type === 'string' ? file.type : 'folder'}`);
  return file;
};

const toBytes = (content: string, encoding: 'utf8' | 'base64'): Buffer => {
  const bytes = Buffer.from(content, encoding);
  // Buffer leaves out what is no base64.
  if (encoding === 'base64' && Math.ceil(bytes.byteLength / 3) * 4 !== content.length)
    throw wrongParameter('content', 'base64, with its padding and without spaces', content);
  return bytes;
};

/** The id that Git gives to the content of a file, where the repository uses SHA-1. */
const toBlobSha = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');

/** A file that has changed after it was read: the next attempt reads it again. */
const toRetryableConflict = (error: unknown): unknown => {
  if (!isNodeError(error) || error.details?.status !== 409) return error;
  const { name, message, details } = error;
  return new NodeError(message, { name, isRetryable: true, details, cause: error });
};

const refuse = (problem: string): NodeError =>
  new NodeError(`Parameter "path" names something that ${problem}`, { isRetryable: false });
