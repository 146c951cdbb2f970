import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { graphql } from '../../../nodes/graphql/graphql.plugin.ts';
import { aCallingContext, callNode, failureOf } from '../../support/a-calling-context.ts';
import { aLocalServer, type LocalServer } from '../../support/a-local-server.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

let server: LocalServer;
/** What the server answers; it echoes variables by default. */
let answer: Answer | null;

beforeAll(async () => {
  server = await aLocalServer({
    '/graphql': ({ body: sent }, response) => {
      const { status = 200, headers = {}, body } = answer ?? { body: { data: JSON.parse(sent).variables } };
      response.writeHead(status, { 'content-type': 'application/graphql-response+json', ...headers });
      response.end(JSON.stringify(body));
    },
  });
});
beforeEach(() => {
  answer = null;
});
afterAll(() => server.close());

const query = 'query Q($a: Int) { a(b: {c: {d: $a}}) }';

const run = async (parameters: JsonObject = {}) =>
  callNode(
    graphql,
    { url: `${server.origin}/graphql`, query, ...parameters },
    await aCallingContext({ type: 'httpBearer', secret: { token: 'canary' } }),
  );

const answering = (body: JsonValue, rest: Omit<Answer, 'body'> = {}, parameters: JsonObject = {}) => {
  answer = { body, ...rest };
  return run(parameters);
};

test('sends the document, the variables and the headers', async () => {
  const headers = { 'X-Tenant': 'tea' };
  expect(await run({ variables: { a: 1 }, operationName: 'Q', headers })).toEqual({
    data: { a: 1 },
    errors: [],
  });
  expect(server.received.at(-1)).toMatchObject({
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      authorization: 'Bearer canary',
      'content-type': 'application/json',
      'x-tenant': 'tea',
    },
    body: JSON.stringify({ query, variables: { a: 1 }, operationName: 'Q' }),
  });
});

test('outputs extensions if there are any', async () => {
  expect(await answering({ data: null, extensions: { cost: 2 } })).toEqual({
    data: null,
    errors: [],
    extensions: { cost: 2 },
  });
});

describe('a response with errors', () => {
  const partial = {
    data: { a: 1, b: null },
    errors: [
      {
        message: 'no b',
        path: ['b', 0, 'c'],
        locations: [{ line: 1, column: 2 }],
        extensions: { code: 'GONE' },
      },
      { message: 'no c' },
    ],
  };

  test('fails the node, with the errors and the data in its details', async () => {
    expect(await failureOf(answering(partial))).toMatchObject({
      name: 'HttpStatusError',
      message: expect.stringMatching(/ answered 200: no b \(and 1 more\)$/),
      isRetryable: false,
      details: {
        code: 'GONE',
        errors: [{ message: 'no b', path: 'b/0/c', code: 'GONE' }, { message: 'no c' }],
        status: 200,
        body: partial,
      },
    });
  });

  test('is output with partial data when failOnErrors is false', async () => {
    expect(await answering(partial, {}, { failOnErrors: false })).toEqual(partial);
  });

  test('has details of limited size', async () => {
    const errors = Array.from({ length: 200 }, () => ({
      message: 'm'.repeat(5_000),
      path: Array.from({ length: 100 }, () => 'p'.repeat(100)),
      extensions: { code: 'C'.repeat(1_000) },
    }));
    const { message, details } = await failureOf(answering({ errors }, {}, { maxResponseBytes: 6_000_000 }));
    expect(message.length).toBeLessThan(320);
    expect(details).toMatchObject({ errors: { length: 10 }, bodyTruncated: true });
    expect(JSON.stringify(details).length).toBeLessThan(32_000);
  });

  test.each<[string, JsonValue, JsonObject, boolean]>([
    ['a limit', [{ message: 'slow', extensions: { code: 'THROTTLED' } }], {}, true],
    ['a limit of GitHub', [{ message: 'slow', type: 'RATE_LIMITED' }], {}, true],
    ['a limit among others', [{ message: 'slow', type: 'RATE_LIMITED' }, { message: 'no' }], {}, false],
    ['a code of retryCodes', [{ message: 'no', extensions: { code: 'X' } }], { retryCodes: ['X'] }, true],
    ['none of retryCodes', [{ message: 'slow', type: 'RATE_LIMITED' }], { retryCodes: [] }, false],
    ['no code', [{ message: 'no' }], {}, false],
  ])('%s is retryable or not', async (_case, errors, parameters, isRetryable) => {
    expect(await failureOf(answering({ errors }, {}, parameters))).toMatchObject({ isRetryable });
  });

  test('without a message fails too', async () => {
    expect(await failureOf(answering({ errors: [{}] }))).toMatchObject({
      message: expect.stringMatching(/: an error without a message$/),
    });
  });
});

describe('an HTTP error', () => {
  test('fails with its message, even when failOnErrors is false', async () => {
    const errors = [
      { message: 'Syntax Error: Unexpected "}"', extensions: { code: 'GRAPHQL_PARSE_FAILED' } },
    ];
    expect(await failureOf(answering({ errors }, { status: 400 }, { failOnErrors: false }))).toMatchObject({
      message: expect.stringMatching(/ answered 400: Syntax Error: Unexpected "}"$/),
      isRetryable: false,
      details: { status: 400, code: 'GRAPHQL_PARSE_FAILED' },
    });
  });

  test('is retryable by its status', async () => {
    const headers = { 'retry-after': '3' };
    expect(await failureOf(answering('slow', { status: 429, headers }))).toMatchObject({
      isRetryable: true,
      retryAfterMs: 3_000,
    });
  });
});

test.each([[{}], [[]], ['text'], [{ errors: 'no list' }]])('%j is not a GraphQL response', async (body) => {
  expect(await failureOf(answering(body))).toMatchObject({
    message: expect.stringMatching(/its answer has neither data nor errors/),
    isRetryable: false,
  });
});

test.each([
  [{ url: 'ftp://x' }, 'url'],
  [{ query: '' }, 'query'],
  [{ operationName: 'a b' }, 'operationName'],
  [{ headers: { a: 1 } }, 'headers.a'],
])('%j names the wrong parameter', async (wrong, name) => {
  await expect(run(wrong)).rejects.toThrow(`Parameter "${name}" must`);
});
