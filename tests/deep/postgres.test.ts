import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { aPostgresCredential, runSql } from '../support/a-postgres-node.ts';

// Against PostgreSQL itself, compiled to WebAssembly: its start costs seconds, so what needs no database is in
// connection.test.ts.

let database: PGlite;
let server: PGLiteSocketServer;
let run: (parameters: JsonObject) => Promise<JsonObject>;

beforeAll(async () => {
  database = await PGlite.create();
  server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: 5 });
  await server.start();
  const credential = aPostgresCredential(Number(server.getServerConn().split(':')[1]), {
    username: 'postgres',
  });
  run = (parameters) => runSql(parameters, credential);
}, 30_000);

afterAll(async () => {
  await server.stop();
  await database.close();
});

beforeEach(async () => {
  await database.exec(
    'DROP TABLE IF EXISTS orders; CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL UNIQUE, total numeric)',
  );
});

const failureOf = (parameters: JsonObject): Promise<Error> =>
  run(parameters).then(
    () => {
      throw new Error('it succeeded');
    },
    (error: Error) => error,
  );

const insert = { query: 'INSERT INTO orders VALUES ($1, $2, $3)', mode: 'affected' };

const count = async () => (await run({ query: 'SELECT count(*)::int AS n FROM orders', mode: 'one' })).row;

describe('the modes', () => {
  test('affected returns a count, rows a list, and one a row', async () => {
    expect(await run({ ...insert, values: [1, 'ann', 12.5] })).toEqual({ affected: 1 });
    expect(await run({ ...insert, values: [2, 'bob', null] })).toEqual({ affected: 1 });
    expect(await run({ query: 'SELECT * FROM orders ORDER BY id' })).toEqual({
      rows: [
        { id: 1, customer: 'ann', total: '12.5' },
        { id: 2, customer: 'bob', total: null },
      ],
    });
    const one = { query: 'SELECT id FROM orders WHERE id = $1', mode: 'one' };
    expect(await run({ ...one, values: [2] })).toEqual({ row: { id: 2 } });
    expect(await run({ ...one, values: [3] })).toEqual({ row: null });
    const update = 'UPDATE orders SET total = 1 RETURNING id';
    expect(await run({ query: update, mode: 'affected' })).toEqual({ affected: 2 });
    expect(await run({ query: 'CREATE TABLE t (a int)', mode: 'affected' })).toEqual({ affected: 0 });
  });

  test('more rows than allowed fail, and nothing is changed', async () => {
    const query = "INSERT INTO orders SELECT n, 'c' || n, n FROM generate_series(1, 5) n RETURNING id";
    expect(await failureOf({ query, maxRows: 4 })).toMatchObject({
      name: 'TooManyRows',
      message: expect.stringContaining('more than maxRows (4) rows'),
      isRetryable: false,
    });
    expect(await failureOf({ query, mode: 'one' })).toMatchObject({ name: 'TooManyRows' });
    expect(await count()).toEqual({ n: 0 });
    expect((await run({ query, maxRows: 5 })).rows).toHaveLength(5);
  });

  test('a large answer ends at the limit, and the next one works', async () => {
    const query = "SELECT repeat('x', 1000000) AS a FROM generate_series(1, 100)";
    expect(await failureOf({ query, maxResponseBytes: 100_000 })).toMatchObject({ name: 'AnswerTooLarge' });
    expect(await count()).toEqual({ n: 0 });
  });
});

describe('a value', () => {
  test.each(["'; DROP TABLE orders; --", "ann' OR '1'='1", '$1', '{{ a }}', '\\', 'ü\u{1f600}', ''])(
    '%j stays data',
    async (text) => {
      await run({ ...insert, values: [1, text, 1] });
      const found = await run({ query: 'SELECT customer FROM orders WHERE customer = $1', values: [text] });
      expect(found).toEqual({ rows: [{ customer: text }] });
    },
  );

  test('is converted to the type of its column', async () => {
    const query = `SELECT $1::int AS a, $2::bool AS b, $3::jsonb AS c, $4::int[] AS d, $5::text[] AS e,
      7 = ANY($4::int[]) AS f, $6::timestamptz AS g, $7::text AS h, $8::float8 AS i`;
    const values = [
      7,
      true,
      { a: [1, '"'] },
      [6, 7],
      ['a"b', null, 'c\\,d'],
      '2026-01-01T10:00:00+02:00',
      null,
      1e21,
    ];
    expect(await run({ query, values, mode: 'one' })).toEqual({
      row: {
        a: 7,
        b: true,
        c: { a: [1, '"'] },
        d: '{6,7}',
        e: '{"a\\"b",NULL,"c\\\\,d"}',
        f: true,
        g: '2026-01-01T08:00:00Z',
        h: null,
        i: 1e21,
      },
    });
  });

  test.each<[JsonValue]>([
    [[]],
    [[1, 'a', null, [], { b: 2 }]],
    ['5'],
    ['true'],
    ['a "text"'],
    [''],
    [5],
    [false],
    [{}],
    [{ a: [] }],
  ])('%j is the same in JSON, JSON with operators, and a column of JSON', async (value) => {
    await database.exec(
      'DROP TABLE IF EXISTS documents; CREATE TABLE documents (a json, b jsonb, c jsonb[])',
    );
    const statements = [
      'INSERT INTO documents VALUES ($1, $2, $3)',
      'SELECT a, b, to_jsonb(c) AS c FROM documents',
    ];
    const { results } = await run({ statements, values: [[value, value, [value, [1]]], []] });
    expect(results).toEqual([{ rows: [] }, { rows: [{ a: value, b: value, c: [value, [1]] }] }]);
    const query = "SELECT jsonb_build_object('a', $1::jsonb) || $2 AS both, $3::text AS text";
    expect(await run({ query, values: [value, { b: 1 }, 'x'], mode: 'one' })).toEqual({
      row: { both: { a: value, b: 1 }, text: 'x' },
    });
  });

  test('that its parameter refuses, and a statement that is wrong, leave the connection usable', async () => {
    const wrong = [
      { query: 'SELECT $1::int AS a', values: ['x'] },
      { query: 'SELEC $1', values: ['x'] },
      { query: 'SELECT $1::text AS a, $2::text AS a', values: ['x', 'y'] },
      { query: 'SELECT $1::text AS a', values: [] },
    ];
    for (const one of wrong) expect(await failureOf(one)).toHaveProperty('name', expect.stringMatching(/^S/));
    expect(await run({ query: 'SELECT $1::text AS a', values: ['x'], mode: 'one' })).toEqual({
      row: { a: 'x' },
    });
  });

  test('of any type comes back as JSON without loss', async () => {
    const query = `SELECT 9007199254740993 AS big, 1.10::numeric AS exact, 1.5::float8 AS float, 'NaN'::float8 AS nan,
      date '2026-01-31' AS day, timestamp '2026-01-31 10:00:00.5' AS local, timestamptz 'infinity' AS never,
      interval '1 day 2 hours' AS span, '\\xff00'::bytea AS bytes, '{"b":[1]}'::json AS json, false AS no,
      NULL::int AS nothing, '0b5c7d2e-0000-4000-8000-000000000000'::uuid AS id, time '10:00' AS "time"`;
    expect((await run({ query, mode: 'one' })).row).toEqual({
      big: '9007199254740993',
      exact: '1.10',
      float: 1.5,
      nan: 'NaN',
      day: '2026-01-31',
      local: '2026-01-31T10:00:00.5',
      never: 'infinity',
      span: 'P1DT2H',
      bytes: '/wA=',
      json: { b: [1] },
      no: false,
      nothing: null,
      id: '0b5c7d2e-0000-4000-8000-000000000000',
      time: '10:00:00',
    });
  });

  test('of a column named __proto__ is data', async () => {
    const { row } = await run({ query: `SELECT 1 AS "__proto__"`, mode: 'one' });
    expect(Object.keys(row as object)).toEqual(['__proto__']);
  });
});

describe('several statements', () => {
  const transfer = {
    statements: ['INSERT INTO orders VALUES ($1, $2, 1)', 'SELECT customer FROM orders WHERE id = $1'],
  };

  test('are one transaction, each with its values and its result', async () => {
    expect(await run({ ...transfer, values: [[1, 'ann'], [1]] })).toEqual({
      results: [{ rows: [] }, { rows: [{ customer: 'ann' }] }],
    });
  });

  test('are rolled back together when one fails, which is named', async () => {
    const statements = [transfer.statements[0] ?? '', transfer.statements[0] ?? ''];
    const failure = await failureOf({
      statements,
      values: [
        [1, 'ann'],
        [1, 'bob'],
      ],
    });
    expect(failure).toMatchObject({
      name: 'SqlError',
      message: 'the database refused statement 2: unique_violation (23505), constraint orders_pkey',
      details: { code: '23505', constraint: 'orders_pkey', table: 'orders', statement: 1 },
    });
    expect(await count()).toEqual({ n: 0 });
  });

  test('in one text are refused', async () => {
    const failure = await failureOf({ query: 'SELECT 1; DROP TABLE orders' });
    expect(failure).toMatchObject({ name: 'SqlError', details: { code: '42601' } });
    expect(failure.message).toContain('cannot insert multiple commands into a prepared statement');
    expect(await count()).toEqual({ n: 0 });
  });

  test.each(['COMMIT', 'ROLLBACK'])('cannot end their transaction by %s', async (statement) => {
    const statements = ["INSERT INTO orders VALUES (1, 'ann', 1)", statement];
    expect(await failureOf({ statements, mode: 'affected' })).toMatchObject({
      name: 'StatementInvalid',
      message: expect.stringContaining('a statement ended the transaction'),
    });
  });
});

describe('a wrong statement', () => {
  test.each<readonly [what: string, parameters: JsonObject, expected: object]>([
    [
      'of syntax',
      { query: 'SELEC 1' },
      { name: 'SqlError', details: { code: '42601', condition: 'syntax_error', position: 1 } },
    ],
    ['of an unknown table', { query: 'SELECT * FROM nowhere' }, { details: { code: '42P01', position: 15 } }],
    ['without its values', { query: 'SELECT $1::int, $2::int', values: [1] }, { details: { code: '08P01' } }],
    ['without SQL', { query: '-- nothing' }, { name: 'StatementInvalid', message: 'the statement is empty' }],
    [
      'with a name twice',
      { query: 'SELECT 1 AS id, 2 AS id' },
      { message: 'two columns are called "id": rename one with AS' },
    ],
    ['that copies to a stream', { query: 'COPY (SELECT 1) TO STDOUT' }, { name: 'StatementInvalid' }],
    [
      'with a NUL in it',
      { query: 'SELECT 1\0; DROP TABLE orders' },
      { message: 'a statement has a NUL character' },
    ],
    ['with lists that are none', { statements: ['SELECT 1'], values: [1] }, { name: 'StatementInvalid' }],
    ['with lists too many', { statements: ['SELECT 1'], values: [[], []] }, { name: 'StatementInvalid' }],
  ])('%s is reported', async (_what, parameters, expected) => {
    expect(await failureOf(parameters)).toMatchObject({ isRetryable: false, ...expected });
    expect(await count()).toEqual({ n: 0 });
  });

  test.each([{}, { query: 'SELECT 1', statements: ['SELECT 1'] }])(
    '%j is refused: exactly one is allowed',
    async (parameters) => {
      expect(await failureOf(parameters)).toMatchObject({
        message: expect.stringContaining(
          'The parameters must be a map with query or else a map with statements',
        ),
      });
      expect(await count()).toEqual({ n: 0 });
    },
  );

  test('shows no value', async () => {
    const failure = await failureOf({ query: 'SELECT $1::int', values: ['a secret'] });
    expect(failure).toMatchObject({ name: 'SqlError', details: { code: '22P02' } });
    expect(JSON.stringify([failure.message, failure])).not.toContain('a secret');
  });
});
