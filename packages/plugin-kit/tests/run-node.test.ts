import { describe, expect, test } from '@jest/globals';
import type { NodeResult } from '../contract/node.ts';
import type { OutboundRequest } from '../contract/services.ts';
import { defineAction, defineCredentialType, emit, NodeError, Type } from '../index.ts';
import { createFakeFiles, type NodeTest, runNode } from '../testing/index.ts';

const token = defineCredentialType({
  id: 'chatToken',
  name: 'Chat token',
  description: 'Of a bot',
  parameters: Type.Object({ team: Type.String(), token: Type.String() }),
  secretFields: ['token'],
  apply: (request, { token }) => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${token}` },
  }),
});

const request = (context: { readonly signal: AbortSignal }, changes: object = {}): OutboundRequest => ({
  method: 'POST',
  url: 'https://chat.example/messages',
  headers: { 'X-Bot': 'yes' },
  body: '{"text":"a"}',
  timeoutMs: 1_000,
  maxRedirects: 0,
  maxResponseBytes: 1_000,
  signal: context.signal,
  ...changes,
});

const post = defineAction({
  id: 'post',
  name: 'Post',
  description: 'Posts',
  parameters: Type.Object({}),
  credentials: { types: ['chatToken'] },
  execute: async ({ context, credential }) => {
    const changes = credential === null ? {} : { credential };
    const { status, body } = await context.services.http.request(request(context, changes));
    return { status, text: Buffer.from(body).toString() };
  },
});

const sent = { method: 'POST', url: 'https://chat.example/messages', json: { text: 'a' } };
const credential = { type: token, fields: { team: 'a', token: 't-0-p' } };

describe('HTTP', () => {
  test('returns the expected response, and records the request with its credential', async () => {
    const headers = { authorization: 'Bearer t-0-p', 'x-bot': 'yes' };
    const http = [{ request: { ...sent, headers }, answer: { status: 201, json: { ok: true } } }];
    const { outputs, requests } = await runNode(post, { credential, http });
    expect(outputs).toEqual({ main: { status: 201, text: '{"ok":true}' } });
    expect(requests).toEqual([{ method: 'POST', url: sent.url, headers, body: '{"text":"a"}' }]);
  });

  test('has GET without headers and body as the default request', async () => {
    const get = defineAction({
      id: 'get',
      name: 'Get',
      description: 'Gets',
      parameters: Type.Object({ url: Type.Optional(Type.String()) }),
      execute: async ({ parameters: { url }, context: { services } }) => {
        const { status } = await services.http.request((url === undefined ? {} : { url }) as never);
        return { status };
      },
    });
    const url = 'https://chat.example/messages';
    const { requests } = await runNode(get, {
      parameters: { url },
      http: [{ request: { url }, answer: {} }],
    });
    expect(requests).toEqual([{ method: 'GET', url, headers: {}, body: null }]);
    await expect(runNode(get, { http: () => ({}) })).rejects.toThrow(
      'services.http.request: the request has no url',
    );
  });

  test('reports a credential whose type is given only by name', async () => {
    const named = { type: 'chatToken', fields: { token: 't-0-p' } };
    await expect(runNode(post, { credential: named, http: () => ({}) })).rejects.toThrow(
      'the request names a credential of the type "chatToken", which is not known here: pass its declaration',
    );
  });

  test.each([
    ['httpBearer', { token: 't-0-p' }, { authorization: 'Bearer t-0-p' }],
    ['httpBasic', { username: 'ann', password: 'b' }, { authorization: 'Basic YW5uOmI=' }],
    ['httpHeader', { name: 'x-key', value: 't-0-p' }, { 'x-key': 't-0-p' }],
  ])('the name %s stands for the built-in type', async (type, fields, headers) => {
    const { requests } = await runNode(post, { credential: { type, fields }, http: () => ({}) });
    expect(requests[0]?.headers).toMatchObject(headers);
  });

  test('the name httpQuery stands for the built-in type', async () => {
    const fields = { name: 'key', value: 't-0-p' };
    const { requests } = await runNode(post, { credential: { type: 'httpQuery', fields }, http: () => ({}) });
    expect(requests[0]?.url).toBe('https://chat.example/messages?key=t-0-p');
  });

  test('accepts a credential type with parameters', () => {
    const schema = { type: 'object', properties: {} };
    expect(() => defineCredentialType({ id: 'chat', schema } as never)).toThrow('"chat" has no parameters');
  });

  test('gives the headers of an answer in lower case, as the service does', async () => {
    const showHeaders = defineAction({
      id: 'showHeaders',
      name: 'Show headers',
      description: 'Reads the headers of an answer',
      parameters: Type.Object({}),
      execute: async ({ context: { services } }) => {
        const { headers } = await services.http.request({ url: sent.url });
        return { ...headers };
      },
    });
    const http = () => ({ headers: { 'Retry-After': '7', 'Content-Type': 'text/plain' }, json: null });
    const { outputs } = await runNode(showHeaders, { http });
    expect(outputs.main).toEqual({ 'retry-after': '7', 'content-type': 'text/plain' });
  });

  test('accepts a function as the response', async () => {
    const { outputs } = await runNode(post, { http: ({ method }) => ({ body: method }) });
    expect(outputs.main).toEqual({ status: 200, text: 'POST' });
  });

  test.each<[string, NodeTest, string]>([
    ['no request is expected', {}, 'request 1 is not expected: POST https://chat.example/messages'],
    [
      'the method differs',
      { http: [{ request: { ...sent, method: 'PUT' }, answer: {} }] },
      'request 1: the method is "POST", expected "PUT"',
    ],
    [
      'the URL differs',
      { http: [{ request: { ...sent, url: 'https://a' }, answer: {} }] },
      'request 1: the URL is "https://chat.example/messages", expected "https://a"',
    ],
    [
      'a header is missing',
      { http: [{ request: { ...sent, headers: { authorization: 'x' } }, answer: {} }] },
      'request 1: the header authorization is null, expected "x"',
    ],
    [
      'the body differs',
      { http: [{ request: { ...sent, json: { text: 'b' } }, answer: {} }] },
      'request 1: the body is {"text":"a"}, expected {"text":"b"}',
    ],
    [
      'a request is not sent',
      {
        http: [
          { request: sent, answer: {} },
          { request: { url: 'https://b' }, answer: {} },
        ],
      },
      'request 2 was not sent: GET https://b',
    ],
  ])('fails the run when %s', async (_case, given, problem) => {
    await expect(runNode(post, given)).rejects.toThrow(problem);
  });

  test('fails the run even when the node catches the error for an unexpected request', async () => {
    const careless = {
      ...post,
      execute: async (...[, , context]: Parameters<typeof post.execute>): Promise<NodeResult> => {
        await context.services.http.request(request(context)).catch(() => {});
        return {};
      },
    };
    await expect(runNode(careless)).rejects.toThrow('request 1 is not expected');
  });
});

/** A node type of a function of its context. */
const doing = (execute: typeof post.execute) => ({ id: 'doing', execute });

test('a credential reveals no field, neither by its keys nor as JSON', async () => {
  const { outputs } = await runNode(
    doing((_node, _input, context) => {
      const { credential } = context as object as { credential: { field(name: string): string } };
      expect(() => credential.field('other')).toThrow('has no field "other"');
      return {
        keys: Object.keys(credential),
        json: JSON.stringify(credential),
        team: credential.field('team'),
      };
    }),
    { credential },
  );
  expect(outputs.main).toEqual({
    keys: ['id', 'type'],
    json: '{"id":"credential-1","type":"chatToken"}',
    team: 'a',
  });
});

test('time passes while a node sleeps, without real waiting', async () => {
  const { outputs, sleeps } = await runNode(
    doing(async (_node, _input, { services: { clock } }) => {
      await clock.sleep(5_000);
      return { now: clock.now() };
    }),
    { now: 1_000 },
  );
  expect({ outputs, sleeps }).toEqual({ outputs: { main: { now: 6_000 } }, sleeps: [5_000] });
});

test('files are read and saved in memory', async () => {
  const files = createFakeFiles();
  const file = files.add('hello', { name: 'a.txt', mediaType: 'text/plain' });
  expect(file).toEqual({
    $file: 'file-1',
    name: 'a.txt',
    mediaType: 'text/plain',
    size: 5,
    sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  });
  const { outputs } = await runNode(
    doing(async (_node, _input, context) => {
      const { files } = context.services as object as { files: ReturnType<typeof createFakeFiles> };
      await expect(files.open({ ...file, $file: 'other' })).rejects.toThrow('there is no file "other"');
      return { copy: await files.save(await files.open(file), { name: 'b.txt', mediaType: 'text/plain' }) };
    }),
    { files },
  );
  expect(outputs.main).toEqual({ copy: { ...file, $file: 'file-2', name: 'b.txt' } });
  expect(Buffer.from(files.saved.get('file-2') ?? '').toString()).toBe('hello');
});

test('log entries of a node are recorded', async () => {
  const { log } = await runNode(doing((_node, _input, { logger }) => void logger.warn('slow', { ms: 5 })));
  expect(log).toEqual([{ level: 'warn', message: 'slow', fields: { ms: 5 } }]);
});

test.each<[string, () => unknown, string]>([
  ['a list', () => [], 'must deliver an object on "main"'],
  ['a list on an output', () => emit({ a: [] as never }), 'must deliver an object on "a"'],
  ['undefined within', () => ({ a: { b: undefined } }), "main.a.b can't be carried by JSON"],
  ['a date', () => ({ at: [new Date(0)] }), "main.at.0 can't be carried by JSON"],
  ['NaN', () => ({ n: Number.NaN }), "main.n can't be carried by JSON"],
])('refuses %s as the service does', async (_case, execute, problem) => {
  await expect(runNode(doing(execute as never))).rejects.toThrow(problem);
});

test('refuses a node that writes to its input', async () => {
  const writes = doing((_node, input) => Object.assign(input, { b: 1 }));
  await expect(runNode(writes, { input: { a: 1 } })).rejects.toThrow('not extensible');
});

test('null output becomes {}', async () => {
  expect((await runNode(doing(() => null))).outputs).toEqual({ main: {} });
});

describe('AWS', () => {
  const put = defineAction({
    id: 'put',
    name: 'Put',
    description: 'Puts',
    parameters: Type.Object({ id: Type.String() }),
    execute: async ({ parameters, context }) => {
      const { signal, services } = context;
      const output = await services.aws.send({
        service: 'dynamodb',
        operation: 'PutItem',
        input: { TableName: 'orders', Item: { id: { S: parameters.id } } },
        timeoutMs: 1_000,
        maxOutputBytes: 1_000,
        signal,
      });
      return { units: Number(output.units) };
    },
  });
  const parameters = { id: 'a' };
  const call = {
    service: 'dynamodb',
    operation: 'PutItem',
    input: { TableName: 'orders', Item: { id: { S: 'a' } } },
  };

  test('returns the expected response, and records the call', async () => {
    const { outputs, calls } = await runNode(put, { parameters, aws: [{ call, answer: { units: 1 } }] });
    expect(outputs.main).toEqual({ units: 1 });
    expect(calls).toEqual([call]);
  });

  test('accepts a function as the response', async () => {
    const { outputs } = await runNode(put, {
      parameters,
      aws: ({ operation }) => ({ units: operation.length }),
    });
    expect(outputs.main).toEqual({ units: 7 });
  });

  test('throws a recorded error', async () => {
    const answer = new NodeError('busy', { name: 'ThrottlingException' });
    await expect(runNode(put, { parameters, aws: [{ call, answer }] })).rejects.toBe(answer);
  });

  test.each<[string, NodeTest, string]>([
    ['no call is expected', {}, 'AWS call 1 is not expected: dynamodb PutItem'],
    [
      'the operation differs',
      { aws: [{ call: { ...call, operation: 'GetItem' }, answer: {} }] },
      'AWS call 1 is dynamodb PutItem, expected dynamodb GetItem',
    ],
    [
      'the region differs',
      { aws: [{ call: { ...call, region: 'eu-west-1' }, answer: {} }] },
      'AWS call 1: the region is null, expected "eu-west-1"',
    ],
    [
      'the input differs',
      { aws: [{ call: { ...call, input: {} }, answer: {} }] },
      'AWS call 1: the input is {"TableName":"orders","Item":{"id":{"S":"a"}}}, expected {}',
    ],
    [
      'a call is missing',
      {
        aws: [
          { call, answer: { units: 1 } },
          { call, answer: {} },
        ],
      },
      'AWS call 2 was not sent: dynamodb PutItem',
    ],
  ])('fails when %s', async (_case, spoiled, message) => {
    await expect(runNode(put, { parameters, ...spoiled })).rejects.toThrow(message);
  });
});
