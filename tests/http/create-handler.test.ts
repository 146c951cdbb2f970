import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createLogger } from '../../lib/adapters/runtime/logger.ts';
import { createHandler, serveRoutes } from '../../lib/http/create-handler.ts';
import { type Answer, answerJson } from '../../lib/shared/answer.ts';
import {
  AUTHENTICATION_MISCONFIGURED,
  BODY_INVALID,
  BODY_TOO_LARGE,
  EXECUTION_TIMED_OUT,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  STORE_UNAVAILABLE,
  UNAUTHORIZED,
} from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { anEvent } from '../support/an-api-event.ts';

const aSecretEvent = () =>
  anEvent({
    path: '/x',
    requestId: 'r-1',
    headers: { authorization: 'Bearer secret-token' },
    body: 'secret-body',
  });

const serve = async (
  handle: () => Answer | Promise<Answer>,
  given: { readonly event: unknown; readonly context?: Partial<Context> } = { event: aSecretEvent() },
) => {
  const clock = aManualClock();
  const lines: string[] = [];
  const logger = createLogger({ clock, write: (line) => lines.push(line) });
  const handler = createHandler({ logger, clock }, async () => {
    clock.advance(7);
    return handle();
  });
  const result = await handler(given.event, (given.context ?? {}) as Context);
  const isJson = String(result.headers?.['content-type']).includes('json');
  return {
    result,
    lines,
    entry: JSON.parse(lines[0] ?? '{}'),
    body: isJson ? JSON.parse(result.body ?? 'null') : null,
  };
};

const throwing = (error: unknown) => () => {
  throw error;
};

describe('the handler’s result', () => {
  test('is returned as the gateway expects, and forbids type sniffing', async () => {
    const { result } = await serve(() => answerJson(200, { a: 1 }));
    expect(result).toEqual({
      statusCode: 200,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
      body: '{"a":1}',
    });
  });

  test('has no body for HEAD, and none when there is none', async () => {
    expect(
      (await serve(() => answerJson(200, {}), { event: anEvent({ method: 'HEAD' }) })).result,
    ).not.toHaveProperty('body');
    expect((await serve(() => ({ status: 204, headers: {}, body: null }))).result).not.toHaveProperty('body');
  });

  // holds: requests-in-no-log
  test('is one line in the log, without headers, body or secrets', async () => {
    const { lines, entry } = await serve(() => answerJson(200, { token: 'secret-answer' }));
    expect(lines).toHaveLength(1);
    expect(entry).toMatchObject({
      level: 'info',
      message: 'request',
      requestId: 'r-1',
      route: 'GET /x',
      status: 200,
      durationMs: 7,
    });
    expect(lines[0]).not.toContain('secret');
  });

  test('that is larger than Lambda can return is a 500, counted as sent', async () => {
    const fits = { status: 200, headers: { 'x-a': 'a'.repeat(1_000) }, body: 'x'.repeat(6_282_000) };
    const { result: sent } = await serve(() => fits);
    expect(sent.statusCode).toBe(200);
    expect(JSON.stringify(sent).length).toBeLessThan(6_291_456);
    const noRoom = { ...fits, body: 'x'.repeat(6_291_000) }; // fits, but not with its headers
    expect((await serve(() => noRoom)).result.statusCode).toBe(500);
    const quotes = { ...fits, body: '"'.repeat(4 * 1024 * 1024) };
    const { result, body } = await serve(() => quotes);
    expect([result.statusCode, body.type]).toEqual([500, 'urn:hookloom:problem:answer-too-large']);
  });
});

describe('the handler’s error', () => {
  test.each<[string, AppError, number, Record<string, string>]>(
    (
      [
        [new AppError(BODY_TOO_LARGE, { limitBytes: 5 }), 413, {}],
        [new AppError(BODY_INVALID, { reason: 'it is not' }), 400, {}],
        [new AppError(NOT_FOUND, {}), 404, {}],
        [new AppError(METHOD_NOT_ALLOWED, { allow: ['GET', 'POST'] }), 405, { allow: 'GET, POST' }],
        [
          new AppError(UNAUTHORIZED, { challenge: 'Basic realm="x"' }),
          401,
          { 'www-authenticate': 'Basic realm="x"' },
        ],
        [new AppError(STORE_UNAVAILABLE, {}), 503, { 'retry-after': '2' }],
        [new AppError(AUTHENTICATION_MISCONFIGURED, {}), 503, { 'retry-after': '2' }],
        [new AppError(EXECUTION_TIMED_OUT, { executionId: 'e-1' }), 504, { 'hookloom-execution-id': 'e-1' }],
      ] as [AppError, number, Record<string, string>][]
    ).map(([error, status, headers]) => [error.code, error, status, headers]),
  )('%s is a problem with its status and the headers of HTTP', async (_code, error, status, headers) => {
    const { result, body } = await serve(throwing(error));
    expect(result.statusCode).toBe(status);
    expect(result.headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    expect(body).toEqual({
      type: `urn:hookloom:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
      title: error.title,
      status,
      detail: error.message,
      instance: 'r-1',
      ...('executionId' in error.parameters ? { executionId: 'e-1' } : {}),
    });
  });

  test.each<[string, unknown]>([
    ['an error of ours', new TypeError('internal detail')],
    [
      'an error that looks like one for the caller',
      Object.assign(new Error('internal detail'), { statusCode: 400, expose: true }),
    ],
    ['a text', 'internal detail'],
    ['null', null],
  ])('%s is a bare 500 that shows the caller nothing', async (_case, error) => {
    const { result, body } = await serve(throwing(error));
    expect(result.statusCode).toBe(500);
    expect(body).toMatchObject({
      type: 'urn:hookloom:problem:internal',
      detail: 'Something failed on our side.',
    });
    expect(result.body).not.toContain('internal detail');
  });

  test('is logged with its cause if it is our fault, and with only its code if it is the caller’s', async () => {
    const fault = await serve(throwing(new AppError(STORE_UNAVAILABLE, {}, new Error('socket hang up'))));
    expect(fault.entry).toMatchObject({
      level: 'error',
      status: 503,
      code: 'STORE_UNAVAILABLE',
      cause: { message: 'socket hang up' },
    });
    const callers = await serve(throwing(new AppError(NOT_FOUND, {})));
    expect(callers.entry).toMatchObject({ level: 'info', status: 404, code: 'NOT_FOUND' });
    expect(callers.entry).not.toHaveProperty('cause');
    const unknown = await serve(throwing(new Error('odd')));
    expect(unknown.entry).toMatchObject({ level: 'error', cause: { message: 'odd' } });
  });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'event'],
  ['an empty object', {}],
  ['an odd request context', { requestContext: { http: null } }],
])('an event that is %s does not fail', async (_case, event) => {
  const { result, entry } = await serve(() => answerJson(200, {}), {
    event,
    context: { awsRequestId: 'lambda-1' },
  });
  expect(result.statusCode).toBe(200);
  expect(entry).toMatchObject({ requestId: 'lambda-1', route: '' });
});

describe('a route of the admin API', () => {
  const handler = serveRoutes(
    { logger: createLogger({ clock: aManualClock(), write: () => {} }), clock: aManualClock() },
    ['GET /api/admin/approvals', 'GET /api/admin/workflows/{workflowId}'].map((route) => ({
      route,
      handle: async () => answerJson(200, {}),
    })),
  );
  /** @param rawPath - as the gateway hands it over: decoded once */
  const ask = async (routeKey: string, rawPath: unknown) =>
    (await handler({ ...anEvent(), routeKey, rawPath }, {} as Context)).statusCode;

  // A call by hand has no path, one of the gateway always.
  test.each(['/api/admin/approvals', '/live/api/admin/approvals', undefined])(
    'is served at %s',
    async (path) => {
      expect(await ask('GET /api/admin/approvals', path)).toBe(200);
    },
  );

  test.each([
    '/api/admin/%61pprovals',
    '/api/admin//approvals',
    '//api/admin/approvals',
    '/api/admin/./approvals',
    '/x/../api/admin/approvals',
    '/../api/admin/approvals',
    '/api/admin/approvals/',
    '/api/admin%2fapprovals',
    '/api/admin\\approvals',
    '/api/admin/approvals;x',
    '/api/admin/Approvals',
    '/other',
    '',
  ])('is a 400 at %j, which IAM may have judged as another path', async (path) => {
    expect(await ask('GET /api/admin/approvals', path)).toBe(400);
  });

  test('with a parameter is a 400 at a path with dot segments', async () => {
    const route = 'GET /api/admin/workflows/{workflowId}';
    expect(await ask(route, '/api/admin/workflows/hello')).toBe(200);
    expect(await ask(route, '/api/admin/workflows/..')).toBe(400);
    expect(await ask(route, '/api/admin/workflows/a/../hello')).toBe(400);
  });
});
