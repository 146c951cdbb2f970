import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createTcpClient } from '../../../lib/adapters/tcp-client/tcp-client.chunk.ts';
import { createDatabases } from '../../../nodes/postgres/database.ts';
import { runOnPostgres } from '../../../nodes/postgres/postgres.chunk.ts';
import { aPostgresContext, aPostgresCredential, runSql } from '../../support/a-postgres-node.ts';
import {
  aWireServer,
  complete,
  copyInResponse,
  dataRow,
  errorResponse,
  oneColumn,
  startOfHugeRow,
} from '../../support/a-wire-server.ts';

const ca = readFileSync(join(import.meta.dirname, '../../support/tls/ca.pem'), 'utf8');

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

const aServer = async (...options: Parameters<typeof aWireServer>) => {
  const server = await aWireServer(...options);
  open.push(server.close);
  return server;
};

const failureOf = (running: Promise<unknown>): Promise<Error> =>
  running.then(
    () => {
      throw new Error('it succeeded');
    },
    (error: Error) => error,
  );

const select = { query: 'SELECT 1' };

describe('the connection', () => {
  test('is verified TLS, with the authority of the credential', async () => {
    const server = await aServer({ tls: true });
    const credential = aPostgresCredential(server.port, { sslmode: 'verify-full', ca });
    expect(await runSql(select, credential)).toEqual({ rows: [] });
    expect(server.tried).toEqual(['right-password']);
  });

  test('is encrypted without verification if the credential allows it', async () => {
    const server = await aServer({ tls: true });
    expect(await runSql(select, aPostgresCredential(server.port, { sslmode: 'require' }))).toEqual({
      rows: [],
    });
  });

  test('is refused, before the login, when the certificate is not trusted', async () => {
    const server = await aServer({ tls: true });
    const failure = await failureOf(runSql(select, aPostgresCredential(server.port, { sslmode: '' })));
    expect(failure).toMatchObject({ name: 'DatabaseConnectionError', isRetryable: false });
    expect(failure.message).toMatch(/has a certificate that is not accepted \([A-Z_]+\): add .* "ca"/);
    expect(server.tried).toEqual([]);
  });

  test.each(['require', 'verify-full'])('is refused when the server has no TLS, with %s', async (sslmode) => {
    const server = await aServer();
    expect(await failureOf(runSql(select, aPostgresCredential(server.port, { sslmode })))).toMatchObject({
      name: 'DatabaseConnectionError',
      message: expect.stringContaining(
        `does not offer TLS, which the credential asks for (sslmode: ${sslmode})`,
      ),
      isRetryable: false,
    });
    expect(server.tried).toEqual([]);
  });

  // holds: private-addresses-refused
  test('to a private address says what allows it', async () => {
    const context = aPostgresContext();
    const services = { ...context.services, tcp: createTcpClient() };
    const running = runSql(select, aPostgresCredential(5432), { ...context, services });
    expect(await failureOf(running)).toMatchObject({
      code: 'OUTBOUND_REFUSED',
      message: expect.stringContaining('OUTBOUND_ALLOW can allow 127.0.0.1:5432'),
    });
  });
});

describe('a login', () => {
  test('that is refused is not retried, and shows no password', async () => {
    const server = await aServer({ passwords: [] });
    expect(await failureOf(runSql(select, aPostgresCredential(server.port)))).toMatchObject({
      name: 'CredentialRejected',
      message: `127.0.0.1:${server.port} rejected the credential: it answered 28P01.`,
      isRetryable: false,
    });
    expect(server.tried).toEqual(['right-password']);
  });

  test('that is refused is repeated with a rotated password', async () => {
    const server = await aServer({ passwords: ['new-password'] });
    const { id, type, field } = aPostgresCredential(server.port);
    const refresh = async () => aPostgresCredential(server.port, { password: 'new-password' });
    expect(await runSql(select, { id, type, field, checkHost: () => {}, refresh })).toEqual({ rows: [] });
    expect(server.tried).toEqual(['right-password', 'new-password']);
  });
});

describe('a server that hangs', () => {
  test.each<readonly [string, Parameters<typeof aWireServer>[0]]>([
    ['at the connection', { hangsAt: 'connect' }],
    ['at the start', { hangsAt: 'startup' }],
    ['at the login', { hangsAt: 'password' }],
    ['at the begin', { answer: (statement) => (statement.startsWith('BEGIN') ? null : undefined) }],
    ['at a statement', { answer: (statement) => (statement === 'SELECT 1' ? null : undefined) }],
    ['at the commit', { answer: (statement) => (statement === 'COMMIT' ? null : undefined) }],
  ])('%s is abandoned when the node’s time is up, and its socket closed', async (_when, options) => {
    const server = await aServer(options);
    const controller = new AbortController();
    const context = aPostgresContext({ signal: controller.signal });
    const failing = failureOf(runSql(select, aPostgresCredential(server.port), context));
    await server.hanging;
    const timeout = new Error('the time of the node is up');
    controller.abort(timeout);
    expect(await failing).toBe(timeout);
    await server.closed(1);
  });

  test('is abandoned over TLS too', async () => {
    const server = await aServer({
      tls: true,
      answer: (statement) => (statement === 'SELECT 1' ? null : undefined),
    });
    const controller = new AbortController();
    const context = aPostgresContext({ signal: controller.signal });
    const credential = aPostgresCredential(server.port, { sslmode: 'require' });
    const failing = failureOf(runSql(select, credential, context));
    await server.hanging;
    controller.abort(new Error('up'));
    await failing;
    await server.closed(1);
  });

  test('receives the node’s remaining time for a statement', async () => {
    const server = await aServer();
    await runSql(select, aPostgresCredential(server.port), aPostgresContext({ remainingMs: () => 4_000 }));
    expect(server.statements[0]).toContain('SET LOCAL statement_timeout = 5000;');
  });
});

describe('a response', () => {
  test.each([
    ['of many rows', () => Buffer.concat(Array.from({ length: 20 }, () => dataRow('x'.repeat(10_000))))],
    ['of one row', () => dataRow('x'.repeat(200_000))],
    [
      'that announces 1 GB, and continues,',
      () => Buffer.concat([startOfHugeRow(1_000_000_000), Buffer.alloc(200_000)]),
    ],
  ])('%s ends at the limit, with its connection', async (_case, rows) => {
    const server = await aServer({
      answer: (statement) => (statement === 'SELECT 1' ? Buffer.concat([oneColumn('a'), rows()]) : undefined),
    });
    const running = runSql({ ...select, maxResponseBytes: 20_000 }, aPostgresCredential(server.port));
    expect(await failureOf(running)).toMatchObject({
      name: 'AnswerTooLarge',
      message: expect.stringContaining('maxResponseBytes (20000)'),
      isRetryable: false,
    });
    await server.closed(1);
  });

  test('that waits for data is a failure, and ends the connection', async () => {
    const server = await aServer({
      answer: (statement, socket) => {
        if (statement !== 'SELECT 1') return undefined;
        socket.write(copyInResponse());
        return null;
      },
    });
    expect(await failureOf(runSql(select, aPostgresCredential(server.port)))).toMatchObject({
      name: 'StatementInvalid',
      message: expect.stringContaining('COPY cannot be used'),
    });
    await server.closed(1);
  });

  test('that violates the protocol is a failure', async () => {
    const server = await aServer({
      answer: (statement, socket) => {
        if (statement === 'SELECT 1') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        return statement === 'SELECT 1' ? null : undefined;
      },
    });
    expect(await failureOf(runSql(select, aPostgresCredential(server.port)))).toMatchObject({
      name: 'DatabaseConnectionError',
      isRetryable: true,
    });
  });
});

describe('an error of the database', () => {
  const errorOf = async (fields: Readonly<Record<string, string>>) => {
    const server = await aServer({
      answer: (statement) => (statement === 'SELECT 1' ? errorResponse(fields) : undefined),
    });
    const failure = await failureOf(runSql(select, aPostgresCredential(server.port)));
    expect(server.statements.at(-1)).toBe('ROLLBACK');
    return failure;
  };

  test.each([
    ['40001', 'serialization_failure', true],
    ['40P01', 'deadlock_detected', true],
    ['53300', 'too_many_connections', true],
    ['55P03', 'lock_not_available', true],
    ['57014', 'query_canceled', true],
    ['57P01', 'admin_shutdown', true],
    ['08006', null, true],
    ['08P01', null, false],
    ['22P02', 'invalid_text_representation', false],
    ['23505', 'unique_violation', false],
    ['42501', 'insufficient_privilege', false],
    ['XX000', null, false],
  ])('%s, %p: another attempt can help: %p', async (code, condition, isRetryable) => {
    const failure = await errorOf({ C: code, M: 'said' });
    expect(failure).toMatchObject({ name: 'SqlError', isRetryable, details: { code, condition } });
    expect(failure.message).toContain(code);
  });

  test('says where it is, without the values that the database quotes', async () => {
    const failure = await errorOf({
      C: '23505',
      M: 'duplicate key value violates "orders_key" for ann@example.com',
      D: 'Key (email)=(ann@example.com) already exists.',
      s: 'public',
      t: 'orders',
      c: 'email',
      n: 'orders_key',
      P: '15',
    });
    expect(failure.message).toBe(
      'the database refused the statement: unique_violation (23505), constraint orders_key',
    );
    expect(failure).toMatchObject({
      details: {
        code: '23505',
        condition: 'unique_violation',
        position: 15,
        constraint: 'orders_key',
        schema: 'public',
        table: 'orders',
        column: 'email',
      },
    });
    expect(JSON.stringify(failure)).not.toContain('ann@example.com');
  });
});

describe('an idle connection', () => {
  const limits = { mode: 'rows', maxRows: 10, maxResponseBytes: 10_000, isList: false } as const;
  const run = (databases: ReturnType<typeof createDatabases>, port: number, changes = {}) =>
    runOnPostgres(
      [{ text: 'SELECT 1', values: [] }],
      limits,
      aPostgresCredential(port, changes),
      aPostgresContext(),
      databases,
    );

  test('is reused with a new session, one connection per login', async () => {
    const server = await aServer();
    const databases = createDatabases();
    await run(databases, server.port);
    await run(databases, server.port);
    expect(server.connections()).toBe(1);
    expect(server.statements.map((statement) => statement.split(' ')[0])).toEqual([
      'BEGIN;',
      'SELECT',
      'COMMIT',
      'DISCARD',
      'BEGIN;',
      'SELECT',
      'COMMIT',
    ]);
    await run(databases, server.port, { database: 'other' });
    expect(server.connections()).toBe(2);
  });

  test('is replaced when it was lost meanwhile', async () => {
    const server = await aServer();
    const databases = createDatabases();
    await run(databases, server.port);
    server.disconnect();
    expect(await run(databases, server.port)).toEqual({ rows: [] });
    expect(server.connections()).toBe(2);
  });

  test('is the only one, however many were in use at once', async () => {
    const server = await aServer();
    const databases = createDatabases();
    await Promise.all([
      run(databases, server.port),
      run(databases, server.port),
      run(databases, server.port),
    ]);
    await server.closed(2);
    await run(databases, server.port);
    expect(server.connections()).toBe(3);
  });

  test('is closed after a while', async () => {
    const server = await aServer();
    await run(createDatabases(1), server.port);
    await server.closed(1);
  });
});

test('the end of a message and a whole response are read in pieces of any size', async () => {
  const server = await aServer({
    answer: (statement) =>
      statement === 'SELECT 1'
        ? Buffer.concat([oneColumn('a'), dataRow('é'), complete('SELECT 1')])
        : undefined,
  });
  expect(await runSql(select, aPostgresCredential(server.port))).toEqual({ rows: [{ a: 'é' }] });
});

test('nothing runs without a credential of the type postgres', async () => {
  expect(await failureOf(runSql(select, null))).toMatchObject({
    message: 'via: postgres needs a credential of the type postgres in credentialId',
    isRetryable: false,
  });
});
