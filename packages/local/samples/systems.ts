import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { ensureTable } from 'lambda-stage/database';
import { SMTPServer } from 'smtp-server';
import { SAMPLE_TOKEN } from './sample-credentials.ts';

/** Answers a request. @param path - without the query */
type Answer = (request: IncomingMessage, response: ServerResponse, path: string) => void | Promise<void>;

export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

const MAX_BODY_BYTES = 1_000_000;

/** @throws Error if the body is larger than 1 MB or not JSON */
const readJson = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is larger than 1 MB');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
};

const isAuthorized = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === `Bearer ${SAMPLE_TOKEN}`;

const ROWS = 250;

/** The content of `orders.csv`: numbers, customers and totals. */
export const orders = [
  'number,customer,total',
  ...Array.from({ length: ROWS }, (_, at) => `A-${at + 1},customer${at % 7}@example.com,${(at * 37) % 500}`),
].join('\r\n');

const getOrders: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/csv', 'content-length': orders.length }).end(orders);
};

const noSuchKey: Answer = (_request, response) => {
  const error = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';
  response.writeHead(404, { 'content-type': 'application/xml' }).end(error);
};

const MEGABYTE = 1_000_000;
const MAX_MEGABYTES = 10_000;

/** Sends a file of as many MB as the path says, such as 100 for `/files/100`, generated while it is sent. */
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
const receiveContent: Answer = async (request, response) => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  sendJson(response, 201, { bytes, sha256: hash.digest('hex') });
};

/** A fake model that searches for words. */
const sortTicket = (text: string) => {
  const has = (...words: string[]): boolean => words.some((word) => text.toLowerCase().includes(word));
  let category = 'question';
  if (has('refund', 'invoice', 'charged')) category = 'billing';
  else if (has('broken', 'crash', 'error', 'does not work')) category = 'fault';
  return { category, urgent: has('urgent', 'immediately', 'at once'), summary: text.slice(0, 60) };
};

const completeChat: Answer = async (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 401, { error: { message: 'no valid API key' } });
  const { model, messages, response_format: asked } = await readJson(request);
  const list = Array.isArray(messages) ? messages : [];
  const question = String(list.at(-1)?.content);
  const content =
    asked === undefined ? `In short: ${question.slice(0, 60)}` : JSON.stringify(sortTicket(question));
  sendJson(response, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 42, completion_tokens: 21, total_tokens: 63 },
  });
};

const MINUTE_MS = 60_000;
const FEED_LENGTH = 5;

/** A feed with one item for each of the last minutes. */
const getFeed: Answer = (_request, response) => {
  const minute = Math.floor(Date.now() / MINUTE_MS);
  const items = Array.from({ length: FEED_LENGTH }, (_, ago) => {
    const time = new Date((minute - ago) * MINUTE_MS);
    const name = time.toISOString().slice(11, 16);
    return `<item><guid isPermaLink="false">${minute - ago}</guid><title>Tea at ${name}</title><link>https://tea.example.com/${minute - ago}</link><pubDate>${time.toUTCString()}</pubDate><description>Tea was served at ${name}.</description></item>`;
  });
  response
    .writeHead(200, { 'content-type': 'application/rss+xml' })
    .end(`<rss version="2.0"><channel><title>Tea</title>${items.join('')}</channel></rss>`);
};

/** The header lines of a mail that are printed. */
const SHOWN = /^(?:From|To|Subject):.*$/gim;

/** A mail server that accepts every mail sent with the sample's credential and prints it. */
export const createMailServer = (): SMTPServer =>
  new SMTPServer({
    disabledCommands: ['STARTTLS'], // it is reachable only on this machine
    size: 1_000_000,
    onAuth: ({ password }, _session, callback) =>
      password === SAMPLE_TOKEN ? callback(null, { user: 'sample' }) : callback(new Error('wrong password')),
    onData: (stream, _session, callback) => {
      text(stream).then((mail) => {
        const [head = '', ...body] = mail.split('\r\n\r\n');
        const shown = head.match(SHOWN) ?? [];
        process.stdout.write(`Mail\n${[...shown, '', ...body].join('\n').trimEnd()}\n`);
        callback();
      }, callback);
    },
  });

const database = dynalite({ createTableMs: 0 });

const askOrdersTable: Answer = async (request, response) => {
  database.emit('request', request, response);
  await once(response, 'close');
};

export const ordersTable: CreateTableCommandInput = {
  TableName: 'sample-orders',
  AttributeDefinitions: [{ AttributeName: 'number', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'number', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/** @param endpoint - at which the routes are served */
export const createOrdersTable = async (endpoint: string): Promise<void> => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  await ensureTable(client, ordersTable);
  client.destroy();
};

const PAGE_SIZE = 3;

const people = ['Ada', 'Barbara', 'Edsger', 'Grace', 'Katherine', 'Niklaus', 'Tony'].map((name, index) => ({
  id: index + 1,
  name,
  email: `${name.toLowerCase()}@example.com`,
}));

/** A page of people, which requires a bearer token; `next` is the URL of the next page, null on the last page. */
const listPeople: Answer = (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 401, { error: 'a bearer token is required' });
  const page = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('page') ?? 1);
  const end = page * PAGE_SIZE;
  sendJson(response, 200, {
    people: people.slice(end - PAGE_SIZE, end),
    next: end < people.length ? `/people?page=${page + 1}` : null,
  });
};

/** Responds as Slack does: with 200 even for refusals. */
const postMessage: Answer = async (request, response) => {
  if (!isAuthorized(request)) return sendJson(response, 200, { ok: false, error: 'invalid_auth' });
  const { channel, text } = await readJson(request);
  if (text === undefined || text === '') return sendJson(response, 200, { ok: false, error: 'no_text' });
  process.stdout.write(`Slack, in ${channel}: ${text}\n`);
  sendJson(response, 200, { ok: true, channel, ts: '1763800000.000100', message: { text } });
};

/** The systems that the samples call. */
export const routes: readonly (readonly [pattern: RegExp, answer: Answer])[] = [
  // A sample API that returns a list in pages.
  [/^GET \/people$/, listPeople],
  // Files to fetch, and an endpoint that accepts any upload.
  [/^GET \/files\/\d{1,5}$/, sendFile],
  [/^(?:POST|PUT) \/received\//, receiveContent],
  // One method of Slack's Web API.
  [/^POST \/slack\/api\/chat\.postMessage$/, postMessage],
  // A chat completions API like OpenAI's.
  [/^POST \/llm\/v1\/chat\/completions$/, completeChat],
  // A feed to poll.
  [/^GET \/feed\.xml$/, getFeed],
  // A bucket of S3 with one object; signatures are not checked.
  [/^GET \/s3\/imports\/orders\.csv$/, getOrders],
  [/^GET \/s3\//, noSuchKey],
  // DynamoDB, in memory; signatures are not checked.
  [/^POST \/$/, askOrdersTable],
];
