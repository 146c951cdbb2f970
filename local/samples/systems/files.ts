import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Answer, type Routes, sendJson } from './system.ts';

const MEGABYTE = 1_000_000;
const MAX_MEGABYTES = 10_000;

/** `/files/100` is a file of 100 MB, made as it is sent. */
const sendFile: Answer = async (_request, response, path) => {
  const megabytes = Math.min(Number(path.split('/').at(-1)), MAX_MEGABYTES);
  const parts = function* () {
    for (let at = 0; at < megabytes; at++) yield Buffer.alloc(MEGABYTE, at);
  };
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': megabytes * MEGABYTE,
  });
  await pipeline(Readable.from(parts()), response);
};

/** Answers with the size and the hash of what it received. */
const receive: Answer = async (request, response) => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  sendJson(response, 201, { bytes, sha256: hash.digest('hex') });
};

/** Files to fetch, and a place that takes whatever is sent. */
export const fileRoutes: Routes = [
  [/^GET \/files\/\d{1,5}$/, sendFile],
  [/^(?:POST|PUT) \/received\//, receive],
];
