import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import aws4 from 'aws4';
import type { Door, Keys } from '../../src/stage/door/door-types.ts';
import { startDoor } from '../../src/stage/door/start-door.ts';
import { resolveTemplate } from '../../src/stage/door/template.ts';
import { account, allow, functionArn, region, stack, template } from '../support/a-shop-template.ts';

interface Signing {
  readonly service: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly host?: string;
  readonly region?: string;
  readonly at?: number;
}

const resolved = resolveTemplate(template, stack);
const refOf = (logicalId: string) => String(resolved.resources[logicalId]?.ref);
const bucket = refOf('Bucket');

let door: Door;
let keys: Keys;
let now = Date.parse('2026-11-22T12:00:00Z');
let received: { url: string; principal: unknown; body: string }[] = [];
/** What the services behind the door answer, by path. */
const answers: Record<string, string> = {
  '/2015-03-31/event-source-mappings/': JSON.stringify({
    EventSourceMappings: [
      { UUID: 'own', FunctionArn: functionArn },
      { UUID: 'other', FunctionName: 'shop-reports' },
    ],
  }),
  '/2025-12-01/durable-executions/ARN/checkpoint':
    '{"NewExecutionState":{"Operations":[{"CallbackDetails":{"CallbackId":"callback-1"}}]}}',
};
const backend = createServer(async (request, response) => {
  const url = request.url ?? '';
  received.push({ url, principal: request.headers['x-stage-principal'], body: await text(request) });
  response.end(answers[url.replace(/arn%3A[^/]+/, 'ARN')] ?? '{"from":"the backend"}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  door = await startDoor({
    template: resolved,
    backends: { dynamodb: origin, lambda: origin },
    users: {
      author: [
        { Statement: allow('execute-api:Invoke', `arn:aws:execute-api:*:*:${refOf('Api')}/*/GET/orders/*`) },
      ],
    },
    now: () => now,
  });
  keys = await door.credentialsOf('OrdersRole', 'shop-orders');
});
afterAll(async () => {
  await door.stop();
  backend.close();
});
beforeEach(() => {
  received = [];
  now = Date.parse('2026-11-22T12:00:00Z');
});

const sign = (signing: Signing, signer: Keys) => {
  const { service, method = 'POST', path = '/', headers = {}, body, at = now } = signing;
  const host = signing.host ?? `${service}.${region}.amazonaws.com`;
  const date = new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const unsigned = {
    service,
    region: signing.region ?? region,
    host,
    method,
    path,
    headers: { ...headers, 'X-Amz-Date': date },
  };
  return { method, ...aws4.sign(body === undefined ? unsigned : { ...unsigned, body }, signer) };
};

const send = async (signing: Signing, signer: Keys = keys) => {
  const { method, path, headers } = sign(signing, signer);
  const host = String(headers?.Host ?? headers?.host);
  const options = {
    host: '127.0.0.1',
    port: door.port,
    servername: host,
    ca: readFileSync(door.caFile),
    agent: false,
  };
  const request = httpsRequest({ ...options, method, path, headers });
  const response = new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  );
  request.end(signing.body);
  const answer = await response;
  return { status: answer.statusCode, type: answer.headers['x-amzn-errortype'], body: await text(answer) };
};

const json = (target: string, input: object): Signing => ({
  service:
    { DynamoDB: 'dynamodb', AmazonS: 'ssm', secretsm: 'secretsmanager' }[
      target.slice(0, target.startsWith('AmazonS') ? 7 : 8)
    ] ?? '',
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
  body: JSON.stringify(input),
});
const getItem = json('DynamoDB_20120810.GetItem', { TableName: 'orders' });
const ofBucket = (method: string, path: string, body?: string): Signing => ({
  service: 's3',
  method,
  path,
  host: `${bucket}.s3.${region}.amazonaws.com`,
  ...(body === undefined ? {} : { body }),
});

test('allowed requests reach the service, with the caller', async () => {
  expect(await send(getItem)).toMatchObject({ status: 200, body: '{"from":"the backend"}' });
  const principal = expect.stringMatching(
    /^arn:aws:sts::123456789012:assumed-role\/shop-OrdersRole-\w+\/shop-orders$/,
  );
  expect(received).toEqual([{ url: '/', principal, body: '{"TableName":"orders"}' }]);
});

describe('a refused request has the error shape of its service, and does not reach it:', () => {
  const lambda = (path: string, body = '{}', method = 'POST'): Signing => ({
    service: 'lambda',
    method,
    path,
    body,
  });
  test.each<[string, () => Signing, number, string]>([
    ['an action', () => json('DynamoDB_20120810.Scan', { TableName: 'orders' }), 400, 'dynamodb:Scan'],
    ['a table', () => json('DynamoDB_20120810.GetItem', { TableName: 'customers' }), 400, 'table/customers'],
    [
      'an index',
      () => json('DynamoDB_20120810.GetItem', { TableName: 'orders', IndexName: 'byDate' }),
      400,
      'index/byDate',
    ],
    [
      'one table of several',
      () => json('DynamoDB_20120810.BatchGetItem', { RequestItems: { orders: {}, customers: {} } }),
      400,
      'dynamodb:BatchGetItem',
    ],
    [
      'an operation that does not exist',
      () => json('DynamoDB_20120810.Frobnicate', { TableName: 'orders' }),
      400,
      'invalid.action',
    ],
    [
      'a target of another service',
      () => ({ ...getItem, headers: { 'x-amz-target': 'AmazonSSM.GetItem' } }),
      400,
      'AmazonSSM.GetItem is not an operation',
    ],
    ['a body that is not JSON', () => ({ ...getItem, body: '{' }), 400, 'the body is not a JSON object'],
    ['a parameter', () => json('AmazonSSM.GetParameter', { Name: '/other/a' }), 400, 'parameter/other/a'],
    [
      'a function without its alias',
      () => lambda('/2015-03-31/functions/shop-orders/invocations'),
      403,
      'function:shop-orders because',
    ],
    [
      'another alias',
      () => lambda('/2015-03-31/functions/shop-orders/invocations?Qualifier=next'),
      403,
      'shop-orders:next',
    ],
    [
      'a path that Lambda does not have',
      () => lambda('/2015-03-31/nothing'),
      404,
      'is not an operation of Lambda',
    ],
    [
      'a mapping to another function',
      () => lambda('/2015-03-31/event-source-mappings/', '{"FunctionName":"shop-reports"}'),
      403,
      'CreateEventSourceMapping',
    ],
    [
      'the mapping of another function',
      () => lambda('/2015-03-31/event-source-mappings/other', '', 'DELETE'),
      403,
      'DeleteEventSourceMapping',
    ],
    [
      'a callback that the door has not seen',
      () => lambda('/2025-12-01/durable-execution-callbacks/callback-0/succeed'),
      403,
      'function:unknown',
    ],
    ['an object elsewhere', () => ofBucket('GET', '/other/a'), 403, '<Code>AccessDenied</Code>'],
    ['a deletion', () => ofBucket('DELETE', '/orders/a'), 403, 's3:DeleteObject'],
    [
      'a copy',
      () => ({ ...ofBucket('PUT', '/orders/a'), headers: { 'x-amz-copy-source': '/a/b' } }),
      501,
      '<Code>NotImplemented</Code>',
    ],
    [
      'a service that the stage does not have',
      () => ({ service: 'textract' }),
      400,
      'unknown service textract',
    ],
    [
      'a host of its own',
      () => ({ service: 'dynamodb', host: 'dynamodb.mars.amazonaws.com' }),
      400,
      'unknown host',
    ],
  ])('%s', async (_, signing, status, message) => {
    const answer = await send(signing());
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(message)]);
    expect(received.filter(({ principal }) => principal !== undefined)).toEqual([]);
    expect(door.refusals().at(-1)?.reason).not.toBe('');
  });

  test('an error that the product can read', async () => {
    const { body } = await send(json('DynamoDB_20120810.Scan', { TableName: 'orders' }));
    expect(JSON.parse(body)).toEqual({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message: expect.stringMatching(
        /^User: arn:aws:sts::.* is not authorized to perform: dynamodb:Scan on resource: arn:.*:table\/orders because no identity-based policy allows the dynamodb:Scan action$/,
      ),
    });
    const ofLambda = await send(lambda('/2015-03-31/functions/shop-orders/invocations'));
    expect(ofLambda.type).toBe('AccessDeniedException');
    expect(door.refusals().at(-1)).toMatchObject({ action: 'lambda:InvokeFunction', resource: functionArn });
  });

  test.each<[string, Partial<Signing>, string, string]>([
    [
      'a clock six minutes behind',
      { at: now - 360_000 },
      'InvalidSignatureException',
      'RequestTimeTooSkewed',
    ],
    ['another region', { region: 'us-east-1' }, 'InvalidSignatureException', 'AuthorizationHeaderMalformed'],
  ])('%s', async (_, spoiled, code, codeOfS3) => {
    expect(await send({ ...getItem, ...spoiled })).toMatchObject({
      status: 400,
      body: expect.stringContaining(code),
    });
    const early = spoiled.at === undefined ? spoiled : { at: now - 960_000 };
    expect((await send({ ...ofBucket('GET', '/orders/a'), ...early })).body).toContain(
      `<Code>${codeOfS3}</Code>`,
    );
    expect(received).toEqual([]);
  });

  test.each([
    ['another secret', { secretAccessKey: 'guessed' }, 'InvalidSignatureException', 'SignatureDoesNotMatch'],
    ['an unknown key', { accessKeyId: 'ASIAOTHER' }, 'UnrecognizedClientException', 'InvalidAccessKeyId'],
    ['another token', { sessionToken: 'other' }, 'UnrecognizedClientException', 'InvalidToken'],
  ])('%s', async (_, spoiled, code, codeOfS3) => {
    expect((await send(getItem, { ...keys, ...spoiled })).body).toContain(code);
    expect((await send(ofBucket('GET', '/orders/a'), { ...keys, ...spoiled })).body).toContain(
      `<Code>${codeOfS3}</Code>`,
    );
  });

  test('keys of an expired session, by the door’s clock', async () => {
    now += 13 * 3_600_000;
    expect((await send(getItem)).body).toContain('ExpiredTokenException');
  });
});

describe('Lambda', () => {
  const execution = encodeURIComponent(`${functionArn}:1/durable-execution/a/b`);
  test.each([
    ['a function by its alias', 'POST', '/2015-03-31/functions/shop-orders%3Alive/invocations'],
    [
      'a function by its ARN',
      'POST',
      `/2015-03-31/functions/${encodeURIComponent(`${functionArn}:live`)}/invocations`,
    ],
    ['a function by its qualifier', 'POST', '/2015-03-31/functions/shop-orders/invocations?Qualifier=live'],
    ['a mapping to the function', 'POST', '/2015-03-31/event-source-mappings/'],
    ['the mapping of the function', 'DELETE', '/2015-03-31/event-source-mappings/own'],
  ])('is called for %s', async (_, method, path) => {
    const answer = await send({ service: 'lambda', method, path, body: '{"FunctionName":"shop-orders"}' });
    expect(answer).toMatchObject({ status: 200, body: expect.any(String) });
  });

  test('callbacks belong to the execution whose checkpoint created them', async () => {
    const answer = () =>
      send({
        service: 'lambda',
        path: '/2025-12-01/durable-execution-callbacks/callback-1/succeed',
        body: '{}',
      });
    expect((await answer()).status).toBe(403);
    await send({
      service: 'lambda',
      path: `/2025-12-01/durable-executions/${execution}/checkpoint`,
      body: '{}',
    });
    expect((await answer()).status).toBe(200);
  });
});

describe('S3', () => {
  test('objects can be put, read and missed', async () => {
    expect((await send(ofBucket('PUT', '/orders/a%20b', 'hello'))).status).toBe(200);
    expect(await send(ofBucket('GET', '/orders/a%20b'))).toMatchObject({ status: 200, body: 'hello' });
    expect(await send(ofBucket('GET', '/orders/c'))).toMatchObject({
      status: 404,
      body: expect.stringContaining('NoSuchKey'),
    });
  });

  test('callers that may not list a bucket do not learn whether an object is missing', async () => {
    const reports = await door.credentialsOf('ReportsRole');
    expect(await send(ofBucket('GET', '/orders/c'), reports)).toMatchObject({
      status: 403,
      body: expect.stringContaining('s3:ListBucket'),
    });
  });

  test('tags need their own action', async () => {
    const tagged = {
      ...ofBucket('PUT', '/orders/a', 'hello'),
      headers: { 'x-amz-tagging': 'upload=pending' },
    };
    expect(await send(tagged)).toMatchObject({
      status: 403,
      body: expect.stringContaining('s3:PutObjectTagging'),
    });
  });
});

test('parameters are stored', async () => {
  const input = { Name: '/shop/a', Value: 'secret', Type: 'SecureString' };
  expect((await send(json('AmazonSSM.GetParameter', { Name: '/shop/a' }))).body).toContain(
    'ParameterNotFound',
  );
  expect((await send(json('AmazonSSM.PutParameter', input))).status).toBe(200);
  expect((await send(json('AmazonSSM.PutParameter', input))).body).toContain('ParameterAlreadyExists');
  const { body } = await send(json('AmazonSSM.GetParameter', { Name: '/shop/a', WithDecryption: true }));
  expect(JSON.parse(body).Parameter).toMatchObject({ Value: 'secret', Version: 1 });
  const names = (Names: readonly string[]) =>
    send(json('AmazonSSM.GetParameters', { Names, WithDecryption: true }));
  expect(JSON.parse((await names(['/shop/b', '/shop/a'])).body)).toMatchObject({
    Parameters: [{ Name: '/shop/a', Value: 'secret' }],
    InvalidParameters: ['/shop/b'],
  });
  const eleven = Array.from({ length: 11 }, (_, at) => `/shop/${at}`);
  for (const refused of [[], ['/shop/a', '/shop/a'], eleven])
    expect((await names(refused)).body).toContain('ValidationException');
  expect((await names(['/shop/a', '/other/a'])).body).toContain('parameter/other/a');
});

describe('STS', () => {
  const worker = String(resolved.resources.WorkerRole?.arn);
  const assume = async (signer: Keys, more: Readonly<Record<string, string>> = {}): Promise<Keys> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const input = { Action: 'AssumeRole', RoleArn: worker, RoleSessionName: 'it', ...more };
    const { status, body } = await send(
      { service: 'sts', headers, body: new URLSearchParams(input).toString() },
      signer,
    );
    if (status !== 200) throw new Error(body);
    const read = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(body)?.[1] ?? '';
    return {
      accessKeyId: read('AccessKeyId'),
      secretAccessKey: read('SecretAccessKey'),
      sessionToken: read('SessionToken'),
    };
  };

  test('gives the keys of a role to those that it trusts, for an hour', async () => {
    const session = await assume(keys);
    const listed = () => send({ ...ofBucket('GET', '/?list-type=2') }, session);
    expect((await listed()).status).toBe(200);
    now += 3_600_000;
    expect((await listed()).body).toContain('ExpiredToken');
  });

  test('gives no keys to others', async () => {
    await expect(assume(await door.credentialsOf('ReportsRole'))).rejects.toThrow('AccessDenied');
  });

  test('a policy limits the session further', async () => {
    const policy = { Version: '2012-10-17', Statement: [allow('s3:GetObject', '*')] };
    const session = await assume(keys, { Policy: JSON.stringify(policy) });
    await send(ofBucket('PUT', '/orders/it', 'hello'));
    expect((await send(ofBucket('GET', '/orders/it'), session)).status).toBe(200);
    expect((await send(ofBucket('PUT', '/orders/it', 'no'), session)).body).toContain(
      'no session policy allows the s3:PutObject action',
    );
  });
});

describe('services use the door', () => {
  test('and a role may do what its policies allow', async () => {
    const Arn = `arn:aws:dynamodb:${region}:${account}:table/orders`;
    const ask = (principal: string) =>
      door.authorize({ principal, action: 'dynamodb:GetItem', resource: Arn });
    expect([(await ask('OrdersRole')).allowed, (await ask('ReportsRole')).allowed]).toEqual([true, false]);
    await expect(async () => ask('MissingRole')).rejects.toThrow('the stage has no role or user MissingRole');
  });

  test('and a role works only for the services that it trusts', async () => {
    const scheduler = 'scheduler.amazonaws.com';
    expect([
      (await door.mayAssume(scheduler, 'TimerRole')).allowed,
      (await door.mayAssume(scheduler, 'OrdersRole')).allowed,
    ]).toEqual([true, false]);
    await expect(door.credentialsOf('TimerRole')).rejects.toThrow(
      'lambda.amazonaws.com is not authorized to perform: sts:AssumeRole',
    );
  });
});

describe('a route with IAM authorization', () => {
  const admit = async (path: string, signer: Keys, at = now) => {
    const host = 'localhost:3000';
    const { method, headers = {} } = sign({ service: 'execute-api', method: 'GET', path, host, at }, signer);
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    return door.admit({ method, url: path, headers: lower, body: Buffer.alloc(0) });
  };

  test('is open to those that may invoke it', async () => {
    const author = await door.credentialsOf('author');
    expect(await admit('/orders/1?full=true', author)).toEqual({
      allowed: true,
      account,
      accessKeyId: author.accessKeyId,
      callerArn: 'arn:aws:iam::123456789012:user/author',
    });
    const refused = { allowed: false, message: 'Forbidden' };
    expect(await admit('/customers/1', author)).toEqual(refused);
    expect(await admit('/orders/1', keys)).toEqual(refused);
    expect(await admit('/orders/1', { ...author, secretAccessKey: 'guessed' })).toEqual(refused);
    expect(await admit('/orders/1', author, now - 360_000)).toEqual(refused);
  });
});

test('a grant counts as used when it allowed a request', async () => {
  const unused = () =>
    door
      .grantUses()
      .filter(({ holder, used }) => holder === 'AuditRole' && !used)
      .map(({ action, resource }) => [action, resource]);
  const objects = `arn:aws:s3:::${bucket}/*`;
  expect(unused()).toEqual([
    ['s3:GetObject', objects],
    ['s3:DeleteObject', objects],
    ['sts:AssumeRole', 'lambda.amazonaws.com'],
  ]);
  await send(ofBucket('PUT', '/orders/it', 'hello'));
  await send(ofBucket('GET', '/orders/it'), await door.credentialsOf('AuditRole'));
  expect(unused()).toEqual([['s3:DeleteObject', objects]]);
});
