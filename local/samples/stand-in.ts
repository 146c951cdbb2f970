import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PEOPLE_CREDENTIAL, STAND_IN_ADDRESS } from './stand-in-address.ts';

// `npm run stand-in`: the systems that the samples call, on this machine.

const PAGE_SIZE = 3;
const MEGABYTE = 1_000_000;
const MAX_MEGABYTES = 10_000;

const people = ['Ada', 'Barbara', 'Edsger', 'Grace', 'Katherine', 'Niklaus', 'Tony'].map((name, index) => ({
  id: index + 1,
  name,
  email: `${name.toLowerCase()}@example.com`,
}));

type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => void | Promise<void>;

const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

/** A page of the people, for a bearer token; `next` is the URL of the next page, null in the last one. */
const listPeople: Answer = ({ url = '', headers }, response) => {
  if (headers.authorization !== `Bearer ${PEOPLE_CREDENTIAL.token}`)
    return sendJson(response, 401, { error: 'a bearer token is required' });
  const page = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1);
  const end = page * PAGE_SIZE;
  sendJson(response, 200, {
    people: people.slice(end - PAGE_SIZE, end),
    next: end < people.length ? `/people?page=${page + 1}` : null,
  });
};

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

const routes: readonly (readonly [RegExp, Answer])[] = [
  [/^GET \/people$/, listPeople],
  [/^GET \/files\/\d{1,5}$/, sendFile],
  [/^(?:POST|PUT) \/received\//, receive],
];

const print = (line: string) => process.stdout.write(`${line}\n`);

const server = createServer(async (request, response) => {
  const [path = ''] = request.url?.split('?') ?? [];
  const [, answer] = routes.find(([pattern]) => pattern.test(`${request.method} ${path}`)) ?? [];
  try {
    if (answer === undefined) sendJson(response, 404, { error: 'there is no such path' });
    else await answer(request, response, path);
    print(`${request.method} ${request.url} ${response.statusCode}`);
  } catch (error) {
    print(`${request.method} ${request.url} ended early: ${(error as Error).message}`);
  }
});
server.once('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
const { host, port } = STAND_IN_ADDRESS;
server.listen(Number(process.env.STAND_IN_PORT ?? port), host, () => {
  const { port: taken } = server.address() as AddressInfo;
  print(`The stand-in is up at http://${host}:${taken}. Ctrl+C ends it.`);
});
