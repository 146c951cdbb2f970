import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AwsClient, FileValue, JsonObject, NodeContext } from '@hookloom/plugin-kit';
import { nodeTypeChecks } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import type { BlobStreams } from '../../../lib/executions/record/blob-store.ts';
import { aws } from '../../../nodes/aws/aws.plugin.ts';
import { aNodeContext } from '../../support/a-node-context.ts';
import { useAwsServers } from '../../support/an-aws-server.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { filesIn } from '../../support/in-memory-files.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const servers = useAwsServers();
const openDatabase = useTestDatabases();

/** Executes the node once with this client. */
const call = async (
  client: AwsClient,
  parameters: JsonObject,
  context = aNodeContext(),
): Promise<JsonObject> => {
  const services = { ...context.services, aws: client };
  const output = await aws.execute({ id: 'n', type: 'aws', parameters }, {}, { ...context, services });
  return output as JsonObject;
};

/** A context with files of up to 10 MB. */
const withFilesIn = (streams: BlobStreams): NodeContext => {
  const context = aNodeContext();
  const open = filesIn(streams, { limits: { maxFileBytes: 10_000_000, maxFiles: 10 } });
  const files = open({ executionId: 'execution-1', retryOf: null })('node-1/0', context.signal);
  return { ...context, services: { ...context.services, files } };
};

const read = async (file: unknown, { services } = aNodeContext()): Promise<Buffer> =>
  buffer(await services.files.open(file as FileValue));

/** S3 with objects in memory, by path. */
const startS3 = (objects = new Map<string, Buffer>()) =>
  servers
    .start(['S3'], ({ method, path, body }, response) => {
      const [key = ''] = path.split('?');
      if (method === 'PUT') objects.set(key, body);
      const object = objects.get(key);
      if (object === undefined)
        response.writeHead(404).end('<Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>');
      else
        response
          .writeHead(200, { 'content-type': 'text/csv', 'last-modified': 'Sat, 31 Jan 2026 12:00:00 GMT' })
          .end(method === 'PUT' ? '' : object);
    })
    .then(({ client, requests }) => ({ client, requests, objects }));

const getReport = {
  service: 's3',
  operation: 'GetObject',
  input: { Bucket: 'shop', Key: 'reports/may.csv' },
};

describe('aws', () => {
  const example = {
    parameters: { service: 'dynamodb', operation: 'DescribeTable', input: { TableName: 'orders' } },
    aws: [
      {
        call: { service: 'dynamodb', operation: 'DescribeTable', input: { TableName: 'orders' } },
        answer: { Table: { CreationDateTime: new Date(0), ItemCount: 3n } },
      },
    ],
    credential: { type: 'awsRole', fields: { roleArn: 'arn:aws:iam::123456789012:role/orders' } },
  };
  for (const { name, run } of nodeTypeChecks(aws, example)) test(name, run);

  test('declares its call, so that its permission is known', () => {
    expect(
      aws.awsCalls?.({ service: 's3', operation: 'GetObject', input: '*', region: 'eu-west-1' }),
    ).toEqual([{ service: 's3', operation: 'GetObject', input: {}, region: 'eu-west-1' }]);
  });
});

describe('an output', () => {
  test('is JSON: times become texts, and metadata is left out', async () => {
    const { endpoint, tables } = await openDatabase();
    const client = servers.pointTo(endpoint, ['DYNAMODB']);
    const input = { TableName: tables.deliveries };
    const output = await call(client, { service: 'dynamodb', operation: 'describeTable', input });
    expect(output).toMatchObject({
      Table: { TableName: tables.deliveries, CreationDateTime: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(Object.keys(output)).toEqual(['Table']);
  });

  test('has a file instead of a stream, with the object’s type and name', async () => {
    const content = randomBytes(300_000);
    const { client } = await startS3(new Map([['/shop/reports/may.csv', content]]));
    const context = aNodeContext();
    const output = await call(client, getReport, context);
    expect(output).toMatchObject({
      Body: { $file: expect.any(String), name: 'may.csv', mediaType: 'text/csv', size: 300_000 },
      ContentType: 'text/csv',
      LastModified: '2026-01-31T12:00:00.000Z',
    });
    expect(await read(output.Body, context)).toEqual(content);
  });

  test.each([
    ['text', '{"a":1}'],
    ['json', { a: 1 }],
    ['base64', { $base64: 'eyJhIjoxfQ==' }],
  ])('has a stream as %s on request', async (bytesAs, shown) => {
    const { client } = await startS3(new Map([['/shop/reports/may.csv', Buffer.from('{"a":1}')]]));
    expect(await call(client, { ...getReport, bytesAs })).toMatchObject({ Body: shown });
  });

  test.each([
    ['auto', { $base64: 'eyJhIjoxfQ==' }],
    ['json', { a: 1 }],
    ['file', { name: 'answer.json', size: 7 }],
  ])('has bytes as %s specifies', async (bytesAs, shown) => {
    const { client } = await servers.start(['LAMBDA'], (_request, response) => response.end('{"a":1}'));
    const input = { FunctionName: 'price', Payload: '{}' };
    const parameters = { service: 'lambda', operation: 'Invoke', input, bytesAs, fileName: 'answer.json' };
    expect(await call(client, parameters)).toMatchObject({ StatusCode: 200, Payload: shown });
  });

  test.each([
    ['no JSON', 'json', Buffer.from('{"a'), 's3 GetObject: Body is not JSON; see bytesAs'],
    ['no text', 'text', Buffer.from([0xff]), 's3 GetObject: Body is not UTF-8 text; see bytesAs'],
  ])('of %s fails the node', async (_case, bytesAs, content, message) => {
    const { client } = await startS3(new Map([['/shop/reports/may.csv', content]]));
    await expect(call(client, { ...getReport, bytesAs })).rejects.toMatchObject({
      name: 'OutputInvalid',
      message,
      isRetryable: false,
    });
  });

  test.each([
    ['a file', { maxFileBytes: 999 }],
    ['text', { maxOutputBytes: 999, bytesAs: 'text' }],
  ])('above the limit for %s fails the node', async (_case, limit) => {
    const { client } = await startS3(new Map([['/shop/reports/may.csv', Buffer.alloc(1_000)]]));
    await expect(call(client, { ...getReport, ...limit })).rejects.toMatchObject({
      name: 'OutputTooLarge',
      message: 's3 GetObject: Body is larger than 999 bytes',
    });
  });

  test.each([
    ['', {}],
    [', with a checksum', { 'x-amz-checksum-crc32': 'AAAAAA==' }],
  ])('whose stream breaks leaves no half-written file%s', async (_case, headers) => {
    const { client } = await servers.start(['S3'], (_request, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000', ...headers });
      response.write('x'.repeat(500), () => response.destroy());
    });
    const blobs = inMemoryBlobs();
    await expect(call(client, getReport, withFilesIn(blobs))).rejects.toMatchObject({
      name: 'StreamBroken',
      message: 's3 GetObject: Body broke off after 500 bytes',
      isRetryable: true,
    });
    expect(blobs.keys()).toEqual([]);
  });

  test('is a list of events where the service streams them', async () => {
    async function* events() {
      yield { contentBlockDelta: { delta: { text: 'a' } } };
      yield { messageStop: { stopReason: 'end_turn' } };
    }
    const client: AwsClient = { send: async () => ({ stream: events() }) };
    expect(await call(client, { service: 'bedrock-runtime', operation: 'ConverseStream' })).toEqual({
      stream: [{ contentBlockDelta: { delta: { text: 'a' } } }, { messageStop: { stopReason: 'end_turn' } }],
    });
  });

  test('has text for what JSON lacks', async () => {
    const answer = {
      big: 2n ** 64n,
      small: 7n,
      not: Number.NaN,
      none: undefined,
      list: [undefined],
      set: new Set(['a']),
    };
    const client: AwsClient = { send: async () => answer };
    expect(await call(client, { service: 'a', operation: 'B' })).toEqual({
      big: '18446744073709551616',
      small: 7,
      not: 'NaN',
      list: [null],
      set: ['a'],
    });
  });
});

describe('an input', () => {
  test.each([
    ['a small file as bytes', 1_000],
    ['a large one as a stream with its length', 7_000_000],
  ])('is sent with %s', async (_case, size) => {
    const { client, objects, requests } = await startS3();
    const context = withFilesIn(inMemoryBlobs());
    const content = randomBytes(size);
    const about = { name: 'a.bin', mediaType: 'application/octet-stream' };
    const Body = await context.services.files.save(new Blob([content]).stream(), about);
    const input = { Bucket: 'shop', Key: 'copy', Body };
    await call(client, { service: 's3', operation: 'PutObject', input }, context);
    expect(objects.get('/shop/copy')?.equals(content)).toBe(true);
    const { headers } = requests[0] ?? {};
    expect(headers?.['x-amz-decoded-content-length'] ?? headers?.['content-length']).toBe(String(size));
  });

  test('can have bytes and times', async () => {
    const sent: unknown[] = [];
    const client: AwsClient = {
      send: async ({ input }) => {
        sent.push(input);
        return {};
      },
    };
    const input = { Data: { $base64: 'aGk=' }, At: [{ $date: '2026-01-31T12:00:00Z' }] };
    await call(client, { service: 'a', operation: 'B', input });
    expect(sent).toEqual([{ Data: Buffer.from('hi'), At: [new Date('2026-01-31T12:00:00Z')] }]);
  });

  test.each([
    [{ Data: { $base64: 'no base64!' } }, 'Parameter "input.Data.$base64" must be base64'],
    [
      { At: [{ $date: 'soon' }] },
      'Parameter "input.At[0].$date" must be a time such as 2026-01-31T12:00:00Z',
    ],
    [
      { At: { $date: '2026-02-30T12:00:00Z' } },
      'Parameter "input.At.$date" must be a time such as 2026-01-31T12:00:00Z',
    ],
  ])('is refused for %j', async (input, message) => {
    const client: AwsClient = { send: () => Promise.reject(new Error('nothing is sent')) };
    await expect(call(client, { service: 'a', operation: 'B', input })).rejects.toMatchObject({
      name: 'InputInvalid',
      message,
      isRetryable: false,
    });
  });
});
