import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request. @param path - without the query */
export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => void | Promise<void>;

/** A system that the samples call: `METHOD /path`, and its answer. */
export type Routes = readonly (readonly [pattern: RegExp, answer: Answer])[];

/** Of all credentials of the samples. It is no secret: it opens invented data alone. */
export const SAMPLE_TOKEN = 'token-of-a-sample';

export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

const MAX_BODY_BYTES = 1_000_000;

/** @throws Error when the body is larger than 1 MB, or no JSON */
export const readJson = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is larger than 1 MB');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
};

export const isAuthorized = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === `Bearer ${SAMPLE_TOKEN}`;
