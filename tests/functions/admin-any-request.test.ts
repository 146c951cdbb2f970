import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeApi } from '../../lib/app/describe-api.ts';
import { startEmbeddedDynamoDb } from '../../packages/local/database/embedded-dynamodb.ts';
import { aTrigger, aWorkflow } from '../support/a-workflow.ts';
import { anAdminApi } from '../support/an-admin-api.ts';
import { cases } from '../support/deep.ts';

// Every route of the OpenAPI document, with requests that the document suggests and with broken ones. Answers are also
// compared with the document, by anAdminApi.

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: JsonObject;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonObject } };
  };
  readonly responses: JsonObject;
}

const { paths, components } = describeApi() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
};

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const routes = operations.map((one) => [`${one.method} ${one.path}`, one] as const);

const namesOf = ({ parameters = [] }: Operation, place: Parameter['in']): readonly string[] =>
  parameters.filter((one) => one.in === place).map(({ name }) => name);

/** Ids of what is stored, by the parameter that names it. */
const stored: Readonly<Record<string, string>> = {
  workflowId: 'greeting',
  credentialId: 'shop-key',
  version: '1',
  id: 'flow',
  nodeType: 'set',
  type: 'smtp',
  executionId: 'execution-1',
  name: 'region',
};

const toPath = (path: string, values: Readonly<Record<string, string>> = stored): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'x'));

/** What the routes of state need besides, in place of a workflow. */
const SHARED = 'store=shared';

/** Required parameters of the query. */
const toQuery = (path: string, { parameters = [] }: Operation): string =>
  [
    ...(path.startsWith('/api/admin/state') ? [SHARED] : []),
    ...parameters
      .filter((one) => one.in === 'query' && one.required === true)
      .map(({ name }) => `${name}=${stored[name] ?? '1'}`),
  ].join('&');

let ask: ReturnType<typeof anAdminApi>;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  const database = await startEmbeddedDynamoDb('test');
  const folder = mkdtempSync(join(tmpdir(), 'hookloom-any-request-'));
  // Lambda's API: takes every invocation.
  const lambda = createServer((_request, response) => response.writeHead(202).end('{}'));
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () => database.stop(),
    () => lambda.close(),
    () => rmSync(folder, { recursive: true }),
  );
  ask = anAdminApi({
    DYNAMODB_ENDPOINT: database.endpoint,
    SOURCES_ENDPOINT: database.endpoint,
    SECRETS_FOLDER: folder,
    BLOB_FOLDER: folder,
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`,
  });
  const workflow = aWorkflow({ nodes: [aTrigger()], connections: [] });
  expect(await ask('PUT', '/api/admin/workflows/greeting', { body: workflow })).toMatchObject({
    status: 201,
  });
  expect(await ask('PUT', '/api/admin/credentials/shop-key', { body: { type: 'apiKey' } })).toMatchObject({
    status: 201,
  });
  expect(await ask('PUT', '/api/admin/variables/region', { body: { value: 1 } })).toMatchObject({
    status: 201,
  });
  const entry = `/api/admin/state/entry?${SHARED}&key=1`;
  expect(await ask('PUT', entry, { body: { value: 1 } })).toMatchObject({ status: 201 });
});

afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Request = NonNullable<Parameters<typeof ask>[2]>;

/** @returns the detail of the problem */
const refused = async (
  { method, path, operation }: (typeof operations)[number],
  query: string,
  request: Request,
  status: number,
): Promise<string> => {
  const all = [toQuery(path, operation), query].filter(Boolean).join('&');
  const answer = await ask(method, `${toPath(path)}${all === '' ? '' : `?${all}`}`, request);
  expect(answer).toMatchObject({ status, body: { type: expect.stringContaining('urn:'), status } });
  return answer.body.detail;
};

/** A body that reaches the check of a schema: the routes have different ones. */
const withBody = routes.filter(([, { operation }]) => operation.requestBody !== undefined);

describe('a request to', () => {
  test.each(routes)('%s with an unknown parameter is a 400 that names it', async (_, one) => {
    expect(await refused(one, 'colour=red', {}, 400)).toContain('"colour"');
  });

  test.each(routes.filter(([, { operation }]) => namesOf(operation, 'query').length > 0))(
    '%s with a repeated parameter is a 400 that names it',
    async (_, one) => {
      const [name = ''] = namesOf(one.operation, 'query');
      expect(await refused(one, `${name}=a&${name}=b`, {}, 400)).toContain(`${name} is given twice`);
    },
  );

  test.each(
    routes.flatMap(([name, one]) =>
      (one.operation.parameters ?? [])
        .filter(({ in: place, schema }) => place === 'query' && (schema.enum ?? schema.minimum) !== undefined)
        .filter(({ required }) => required !== true)
        .map((parameter) => [`${name}?${parameter.name}`, one, parameter] as const),
    ),
  )(
    '%s with another value than those declared is a 400 that names the parameter',
    async (_, one, { name }) => {
      expect(await refused(one, `${name}=-1`, {}, 400)).toMatch(new RegExp(`${name}|version`));
    },
  );

  test.each(routes.filter(([, { operation }]) => namesOf(operation, 'query').includes('cursor')))(
    '%s with the cursor of another list is a 400 that names it',
    async (_, one) => {
      const cursor = Buffer.from('["a","b","hash","part"]').toString('base64url');
      for (const given of [cursor, 'junk', 'W10'])
        expect(await refused(one, `cursor=${given}`, {}, 400)).toContain('cursor');
    },
  );

  test.each(withBody)('%s with a body that is not JSON is a 400', async (_, one) => {
    expect(await refused(one, '', { body: '{"a":' }, 400)).toContain('body');
  });

  test.each(withBody)('%s with a body of another type is a 415', async (_, one) => {
    const request = { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect(await refused(one, '', request, 415)).toContain('application/json');
  });

  test.each(withBody)('%s with a body that is nested too deeply is a 400', async (_, one) => {
    const depth = 300;
    const body = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(await refused(one, '', { body }, 400)).toContain('nested');
  });

  test.each(withBody)('%s with a body over its limit is a 413', async (_, one) => {
    const body = JSON.stringify({ a: 'a'.repeat(6_500_000) });
    expect(await refused(one, '', { body }, 413)).toContain('bytes');
  });

  test.each(routes.filter(([, { operation }]) => namesOf(operation, 'header').includes('if-match')))(
    '%s with a stale ETag is a 412 that changes nothing',
    async (_, one) => {
      const body = bodies.find(([part]) => one.path.includes(part))?.[1];
      const needsBody = one.method === 'PUT' || one.path.endsWith('/limits');
      const sent = { ...(needsBody && body !== undefined ? { body } : {}), headers: { 'if-match': '"999"' } };
      expect(await refused(one, '', sent, 412)).toContain('current version');
    },
  );
});

/** What each path takes, by a part of it. */
const bodies = [
  ['/limits', { limits: null }],
  ['/workflows', aWorkflow({ id: String(stored.workflowId) })],
  ['/credentials', { type: 'apiKey' }],
  ['/variables/', { value: 2 }],
  ['/state/', { value: 2 }],
  ['/variables', { variables: [{ name: 'region', value: 2 }] }],
] as const;

/** Texts for paths, queries and headers. */
const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    'greeting',
    'shop-key',
    'execution-1',
    '__proto__',
    'constructor',
    '..',
    '%2e%2e',
    '%00',
    '\u0000',
  ),
  fc.integer().map(String),
  fc.string({ minLength: 3_000, maxLength: 3_000 }),
);

/** Values for a schema: mostly of its type. */
const anyOf = (schema: unknown, depth = 0): fc.Arbitrary<unknown> => {
  const odd = fc.jsonValue({ maxDepth: 2 });
  if (!isPlainObject(schema) || depth > 4) return odd;
  const { $ref, type, enum: words, const: only, anyOf: options, oneOf, properties, items } = schema;
  if (typeof $ref === 'string') return anyOf(components.schemas[$ref.split('/').at(-1) ?? ''], depth + 1);
  const choices = Array.isArray(options) ? options : Array.isArray(oneOf) ? oneOf : null;
  const right = (): fc.Arbitrary<unknown> => {
    if (choices !== null) return fc.oneof(...choices.map((one) => anyOf(one, depth + 1)));
    if (Array.isArray(words)) return fc.constantFrom(...words);
    if (only !== undefined) return fc.constant(only);
    if (type === 'integer' || type === 'number') return fc.oneof(fc.integer(), fc.double());
    if (type === 'string') return anyText;
    if (type === 'boolean') return fc.boolean();
    if (type === 'array') return fc.array(anyOf(items, depth + 1), { maxLength: 3 });
    if (isPlainObject(properties)) {
      const fields = Object.entries(properties).map(([name, one]) => [name, anyOf(one, depth + 1)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    }
    return odd;
  };
  return fc.oneof({ weight: 6, arbitrary: right() }, { weight: 1, arbitrary: odd });
};

/** As a text of a query: `String` would throw for an object without a primitive value. */
const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed());

describe('any request to', () => {
  // holds: bad-input-is-no-5xx
  test.each(routes)(
    '%s gets an answer that the document has, and no 5xx',
    async (_, { method, path, operation }) => {
      const parameters = operation.parameters ?? [];
      const values = (place: Parameter['in']) =>
        fc.record(
          Object.fromEntries(
            parameters
              .filter((one) => one.in === place)
              .map(({ name, schema }) => [name, fc.oneof(anyText, anyOf(schema).map(toText))] as const),
          ),
          { requiredKeys: [] },
        ) as fc.Arbitrary<Record<string, string>>;
      const schema = operation.requestBody?.content['application/json'].schema;
      const requests = fc.record({
        path: values('path'),
        query: values('query'),
        headers: values('header'),
        body:
          schema === undefined
            ? fc.constant(undefined)
            : fc.option(
                fc.oneof({ weight: 4, arbitrary: anyOf(schema) }, { weight: 1, arbitrary: anyText }),
                {
                  nil: undefined,
                },
              ),
      });
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const query = Object.entries(request.query).map(([name, value]) => `${name}=${encodeText(value)}`);
          const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
            encodeText(request.path[name] || String(stored[name])),
          );
          const sent: Request = { headers: request.headers };
          const { body } = request;
          const answer = await ask(
            method,
            `${address}?${query.join('&')}`,
            body === undefined ? sent : { ...sent, body },
          );
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400) expect(answer.body.detail).toMatch(/^.+\.$/s);
        }),
        { numRuns: cases(2, 60) },
      );
    },
  );
});
