import { deflateRawSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { checkWebhookRules } from '../../../packages/authoring/validation/check-webhooks.ts';
import { aProblem, bodyOf } from '../../support/a-problem.ts';
import { aJsonEvent, aWebhookEvent } from '../../support/a-webhook-event.ts';
import { type AWorkflow, aWebhookService } from '../../support/a-webhook-service.ts';

const aServiceWith = async (webhook: NonNullable<AWorkflow['webhook']>) => {
  const service = await aWebhookService();
  await service.put({ webhook });
  return service;
};

const findProblems = (parameters: JsonObject) => {
  const nodes = [{ id: 'start', type: 'webhookTrigger', parameters }];
  return checkWebhookRules({ id: 'x', name: 'x', enabled: true, nodes, connections: [] });
};

describe('maxBodyBytes', () => {
  test.each([
    ['a body of as many bytes', '"12345678"', 200],
    ['one byte more', '"123456789"', 413],
    ['fewer characters with more bytes', '"äöüäöü"', 413],
    ['no body', null, 200],
  ])('%s: %s gets %i', async (_case, body, status) => {
    const service = await aServiceWith({ maxBodyBytes: 10 });
    expect(await service.call(aWebhookEvent({ body }))).toMatchObject({ statusCode: status });
    expect(service.executions.records()).toHaveLength(status === 200 ? 1 : 0);
  });

  test('a base64-encoded event is measured before encoding', async () => {
    const service = await aServiceWith({ maxBodyBytes: 10 });
    const body = Buffer.from('"12345678"').toString('base64');
    expect(await service.call(aWebhookEvent({ body, isBase64Encoded: true }))).toMatchObject({
      statusCode: 200,
    });
  });

  test.each([
    ['as many', 10, 200],
    ['one more', 11, 413],
    ['many more', 500, 413],
  ])('%s bytes when decoded: %i get %i', async (_case, length, status) => {
    const service = await aServiceWith({ maxBodyBytes: 10 });
    const bytes = deflateRawSync('1'.padEnd(length));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'deflate' };
    const event = aWebhookEvent({ headers, body: bytes.toString('base64'), isBase64Encoded: true });
    expect(await service.call(event)).toMatchObject({ statusCode: status });
  });

  test('the limit is checked before credentials', async () => {
    const service = await aServiceWith({ maxBodyBytes: 1, authentication: 'apiKey', credentialId: 'gone' });
    expect(await service.call(aJsonEvent({}))).toEqual(aProblem(413, 'body-too-large'));
  });

  test.each([[0], [1.5], [6 * 1024 * 1024 + 1], ['10']])('%j is refused when it is stored', async (value) => {
    expect(await findProblems({ maxBodyBytes: value })).toMatchObject([
      { path: '/nodes/0/parameters/maxBodyBytes', message: expect.any(String) },
    ]);
  });
});

describe('schema', () => {
  const order = {
    type: 'object',
    required: ['id', 'lines'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
      secret: { const: 'blue' },
      lines: {
        type: 'array',
        items: { type: 'object', properties: { price: { type: 'number', minimum: 0 } } },
      },
    },
  };

  test('accepts a matching body', async () => {
    const service = await aServiceWith({ schema: order });
    expect(await service.call(aJsonEvent({ id: 'AB-1', lines: [] }))).toMatchObject({ statusCode: 200 });
  });

  test('reports every violation with its pointer, and no value of the body', async () => {
    const service = await aServiceWith({ schema: order });
    const answer = await service.call(
      aJsonEvent({ id: 'hunter2', secret: 'green', lines: [{ price: -77 }, { price: '78' }], 'a/b c': 1 }),
    );
    expect(answer).toEqual(aProblem(400, 'body-schema-mismatch'));
    expect(bodyOf(answer).errors).toEqual(
      expect.arrayContaining([
        { pointer: '#/id', detail: 'String does not match pattern "^[A-Z]{2}-\\d+$".' },
        { pointer: '#/secret', detail: 'Instance does not match "blue".' },
        { pointer: '#/lines/0/price', detail: 'Number is less than 0.' },
        { pointer: '#/lines/1/price', detail: 'Instance type "string" is invalid. Expected "number".' },
        { pointer: '#/a~1b%20c', detail: 'No value is allowed here.' },
      ]),
    );
    expect(bodyOf(answer).errors).toHaveLength(5);
    expect(answer.body).not.toMatch(/hunter2|green|77|78/);
    expect(service.executions.records()).toEqual([]);
  });

  test.each<[string, JsonObject, JsonValue, number]>([
    ['a body that is missing', { required: ['id'] }, {}, 1],
    ['more violations than fit', { items: { type: 'string' } }, Array(1_000).fill(1), 50],
    ['a large body: the first alone', { items: { type: 'string' } }, Array(30_000).fill(1), 1],
    ['a body that is too large to check', { items: { type: 'number' } }, Array(100_000).fill(1), 1],
    ['a long key', { additionalProperties: false }, { ['k'.repeat(100_000)]: 1 }, 1],
    ['long lists that must be unique', { uniqueItems: true }, [...Array(5_000).keys()], 1],
  ])('%s: a short response', async (_case, schema, body, count) => {
    const answer = await (await aServiceWith({ schema })).call(aJsonEvent(body));
    expect(answer.statusCode).toBe(400);
    expect(bodyOf(answer).errors).toHaveLength(count);
    expect(answer.body?.length).toBeLessThan(10_000);
  });

  test.each<[string, JsonObject, string]>([
    [
      'takes too many steps',
      { items: { pattern: '(a|b)*c' } },
      JSON.stringify(Array(30).fill('ab'.repeat(50_000))),
    ],
    ['has a key with half of a character', { additionalProperties: { type: 'number' } }, '{"\\ud800": ""}'],
  ])('a body that %s is refused', async (_case, schema, body) => {
    const service = await aServiceWith({ schema });
    const headers = { 'content-type': 'application/json' };
    expect(await service.call(aWebhookEvent({ body, headers }))).toEqual(
      aProblem(400, 'body-schema-mismatch'),
    );
  });

  test.each<[string, string, number]>([
    ['^\\p{L}+$', 'Анна', 200],
    ['^\\p{L}+$', 'p{L}', 400],
    ['^[^<>\\p{So}]+$', '☃', 400],
    ['^[^<>\\p{So}]+$', 'p{So}', 200],
    ['^\\u{1F600}$', '😀', 200],
    ['^.{1,2}$', '😀😀', 200],
    ['^[😀-😎]$', '\ude03', 400],
  ])('matches characters with the pattern %s: %s gets %i', async (pattern, name, status) => {
    const service = await aServiceWith({ schema: { properties: { name: { pattern } } } });
    expect(await service.call(aJsonEvent({ name }))).toMatchObject({ statusCode: status });
  });

  test.each<[JsonValue, string]>([
    [
      { $defs: { a: { $dynamicAnchor: 'a' } }, properties: { b: { $dynamicRef: '#a' } } },
      '/nodes/0/parameters/schema/properties/b/$dynamicRef',
    ],
    [{ properties: { a: { format: 'idn-hostname' } } }, '/nodes/0/parameters/schema/properties/a/format'],
    [{ dependentRequired: { a: 'b' } }, '/nodes/0/parameters/schema/dependentRequired/a'],
    [{ prefixItems: {} }, '/nodes/0/parameters/schema/prefixItems'],
    [{ type: 'text' }, '/nodes/0/parameters/schema/type'],
    [{ properties: { a: { minimum: 'x' } } }, '/nodes/0/parameters/schema/properties/a/minimum'],
    [{ properties: { a: { pattern: '(' } } }, '/nodes/0/parameters/schema/properties/a/pattern'],
    [{ $ref: '#/$defs/gone' }, '/nodes/0/parameters/schema/$ref'],
    [{ pattern: '(a)\\1' }, '/nodes/0/parameters/schema/pattern'],
    [{ patternProperties: { a: {} } }, '/nodes/0/parameters/schema/patternProperties'],
    [{ $ref: '#' }, '/nodes/0/parameters/schema'],
    [{ description: 'x'.repeat(100_000) }, '/nodes/0/parameters/schema'],
    [[], '/nodes/0/parameters/schema'],
    [true, '/nodes/0/parameters/schema'],
  ])('%j is refused when it is stored', async (schema, path) => {
    expect(await findProblems({ schema })).toEqual([{ path, message: expect.any(String) }]);
  });

  test.each<[JsonObject]>([
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
  ])('%j follows the draft that it names', async (schema) => {
    expect(await findProblems({ schema })).toEqual([]);
    const service = await aServiceWith({ schema });
    expect(await service.call(aJsonEvent(['a', 1]))).toMatchObject({ statusCode: 200 });
    expect(await service.call(aJsonEvent([1]))).toEqual(aProblem(400, 'body-schema-mismatch'));
  });
});
