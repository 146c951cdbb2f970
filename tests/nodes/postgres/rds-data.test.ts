import { type JsonObject, NodeError } from '@hookloom/plugin-kit';
import { type NodeTest, nodeTypeChecks, runNode } from '@hookloom/plugin-kit/testing';
import { describe, expect, test } from '@jest/globals';
import { postgres } from '../../../nodes/postgres/postgres.plugin.ts';

const target = {
  via: 'rdsData',
  resourceArn: 'arn:aws:rds:eu-west-1:123456789012:cluster:shop',
  secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop-a1b2c3',
  database: 'shop',
};

const run = (parameters: JsonObject, aws: NonNullable<NodeTest['aws']>) =>
  runNode(postgres, { parameters: { ...target, ...parameters }, aws });

const id = { label: 'id', name: 'id', typeName: 'int4' };

describe('postgres', () => {
  const aws = () => ({ columnMetadata: [id], records: [[{ stringValue: '7' }]] });
  const parameters = { ...target, query: 'SELECT id FROM orders WHERE id = $1', values: [7] };
  for (const { name, run: check } of nodeTypeChecks(postgres, { parameters, aws })) test(name, check);
});

describe('a statement through the RDS Data API', () => {
  test('is one call, in the region of the cluster, with named parameters', async () => {
    const { outputs, calls } = await run(
      {
        query: 'SELECT id FROM orders WHERE a = $1 AND b = ANY($2::int[]) AND c = $3::jsonb AND d = $4',
        values: [7, [1, 2], { a: 1 }, null],
      },
      () => ({ columnMetadata: [id], records: [[{ stringValue: '7' }]], numberOfRecordsUpdated: 0 }),
    );
    expect(outputs.main).toEqual({ rows: [{ id: 7 }] });
    expect(calls).toEqual([
      {
        service: 'rds-data',
        operation: 'ExecuteStatement',
        region: 'eu-west-1',
        input: {
          resourceArn: target.resourceArn,
          secretArn: target.secretArn,
          database: 'shop',
          sql: 'SELECT id FROM orders WHERE a = :p1 AND b = ANY(:p2::int[]) AND c = :p3::jsonb AND d = :p4',
          parameters: [
            { name: 'p1', value: { longValue: 7 } },
            { name: 'p2', value: { stringValue: '{"1","2"}' } },
            { name: 'p3', value: { stringValue: '{"a":1}' }, typeHint: 'JSON' },
            { name: 'p4', value: { isNull: true } },
          ],
          includeResultMetadata: true,
          resultSetOptions: { longReturnType: 'STRING', decimalReturnType: 'STRING' },
        },
      },
    ]);
  });

  test('writes a value as JSON where the SQL casts it to JSON, and as text or a list elsewhere', async () => {
    const { calls } = await run(
      { query: 'SELECT $1::jsonb, $2::JSON, $3::text, $4::int[], $5::jsonb', values: ['5', [], '5', [], 5] },
      () => ({ columnMetadata: [], records: [], numberOfRecordsUpdated: 0 }),
    );
    expect(calls[0]?.input.parameters).toEqual([
      { name: 'p1', value: { stringValue: '"5"' }, typeHint: 'JSON' },
      { name: 'p2', value: { stringValue: '[]' }, typeHint: 'JSON' },
      { name: 'p3', value: { stringValue: '5' } },
      { name: 'p4', value: { stringValue: '{}' } },
      { name: 'p5', value: { stringValue: '5' }, typeHint: 'JSON' },
    ]);
  });

  test('returns the same JSON as over the protocol', async () => {
    const fields = [
      ['int8', { stringValue: '9007199254740993' }, '9007199254740993'],
      ['numeric', { stringValue: '1.10' }, '1.10'],
      ['float8', { doubleValue: 1.5 }, 1.5],
      ['bool', { booleanValue: false }, false],
      ['timestamptz', { stringValue: '2026-01-31 10:00:00.5' }, '2026-01-31T10:00:00.5Z'],
      ['timestamp', { stringValue: '2026-01-31 10:00:00' }, '2026-01-31T10:00:00'],
      ['date', { stringValue: '2026-01-31' }, '2026-01-31'],
      ['jsonb', { stringValue: '{"b":[1]}' }, { b: [1] }],
      ['bytea', { blobValue: Buffer.from([255, 0]) }, '/wA='],
      ['_text', { arrayValue: { stringValues: ['a', 'b"c'] } }, '{"a","b\\"c"}'],
      ['_int4', { arrayValue: { arrayValues: [{ longValues: [1] }, { longValues: [2] }] } }, '{{"1"},{"2"}}'],
      ['int4', { longValue: 5 }, 5],
      ['text', { isNull: true }, null],
    ] as const;
    const { outputs } = await run({ query: 'SELECT 1', mode: 'one' }, () => ({
      columnMetadata: fields.map(([typeName], index) => ({ name: `c${index}`, typeName })),
      records: [fields.map(([, field]) => field)],
    }));
    expect(Object.values(outputs.main?.row ?? {})).toEqual(fields.map(([, , json]) => json));
  });

  test('counts changed rows', async () => {
    const update = { query: 'UPDATE orders SET a = 1', mode: 'affected' };
    const { outputs } = await run(update, () => ({ numberOfRecordsUpdated: 3 }));
    expect(outputs.main).toEqual({ affected: 3 });
  });

  test('with more rows than allowed fails', async () => {
    const aws = () => ({ columnMetadata: [id], records: Array(3).fill([{ stringValue: '7' }]) });
    await expect(run({ query: 'SELECT 1', maxRows: 2 }, aws)).rejects.toMatchObject({ name: 'TooManyRows' });
  });

  test('that the database rejects fails with its SQLSTATE, and shows no value', async () => {
    const text =
      'ERROR: duplicate key value violates unique constraint "orders_pkey"\n  Detail: Key (id)=(secret) already exists.; SQLState: 23505';
    const refused = new NodeError('rds-data ExecuteStatement failed: ERROR: dupl…', {
      name: 'DatabaseErrorException',
      cause: new Error(text),
    });
    const failure = await run({ query: 'SELECT 1' }, () => refused).catch((error: Error) => error);
    expect(failure).toMatchObject({
      name: 'SqlError',
      message: 'the database refused the statement: unique_violation (23505), constraint orders_pkey',
      isRetryable: false,
      details: { code: '23505', condition: 'unique_violation', constraint: 'orders_pkey' },
    });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  test('that AWS rejects fails with AWS’s error', async () => {
    const denied = new NodeError('no', { name: 'AccessDeniedException', isRetryable: false });
    await expect(run({ query: 'SELECT 1' }, () => denied)).rejects.toBe(denied);
  });

  test('refuses a database login', async () => {
    const credential = { type: 'postgres', fields: { password: 'a-password' } };
    const parameters = { ...target, query: 'SELECT 1' };
    await expect(runNode(postgres, { parameters, credential })).rejects.toMatchObject({
      name: 'CredentialUnusable',
      message: 'via: rdsData takes a credential of the type awsRole, or none',
    });
  });

  test.each(['resourceArn', 'secretArn'])('needs %s', async (name) => {
    const { [name as 'resourceArn']: _left, ...others } = target;
    const running = runNode(postgres, { parameters: { ...others, query: 'SELECT 1' } });
    await expect(running).rejects.toThrow(`Parameter "${name}" must be an ARN, got nothing`);
  });
});

describe('several statements through the RDS Data API', () => {
  const statements = ['INSERT INTO a VALUES ($1)', 'DELETE FROM b'];
  const parameters = { statements, values: [[1]], mode: 'affected' };

  test('are one transaction', async () => {
    const { outputs, calls } = await run(parameters, ({ operation }) =>
      operation === 'BeginTransaction' ? { transactionId: 't-1' } : { numberOfRecordsUpdated: 1 },
    );
    expect(outputs.main).toEqual({ results: [{ affected: 1 }, { affected: 1 }] });
    expect(calls.map(({ operation, input }) => [operation, input.transactionId])).toEqual([
      ['BeginTransaction', undefined],
      ['ExecuteStatement', 't-1'],
      ['ExecuteStatement', 't-1'],
      ['CommitTransaction', 't-1'],
    ]);
  });

  test('are rolled back when one fails', async () => {
    const sent: string[] = [];
    const failing = run(parameters, ({ operation, input }) => {
      sent.push(operation);
      if (operation === 'BeginTransaction') return { transactionId: 't-1' };
      return input.sql === 'DELETE FROM b' ? new NodeError('no') : { numberOfRecordsUpdated: 1 };
    });
    await expect(failing).rejects.toThrow('no');
    expect(sent).toEqual(['BeginTransaction', 'ExecuteStatement', 'ExecuteStatement', 'RollbackTransaction']);
  });
});

test('AWS calls are declared, and none for the protocol', () => {
  const operationsOf = (parameters: JsonObject) =>
    postgres.awsCalls?.(parameters).map(({ service, operation }) => `${service} ${operation}`);
  expect(operationsOf({ query: 'SELECT 1' })).toEqual([]);
  expect(operationsOf({ ...target, query: 'SELECT 1' })).toEqual(['rds-data ExecuteStatement']);
  expect(operationsOf({ ...target, statements: [] })).toEqual([
    'rds-data ExecuteStatement',
    'rds-data BeginTransaction',
    'rds-data CommitTransaction',
    'rds-data RollbackTransaction',
  ]);
});

test('an expression in SQL is refused when the workflow is stored', async () => {
  const problems = await postgres.checkParameters?.({
    query: "SELECT '{{ a }}'",
    statements: ['SELECT 1', 'SELECT {{ b }}'],
  });
  expect(problems?.map(({ path }) => path)).toEqual(['/query', '/statements/1']);
  expect(problems?.[0]?.message).toContain('write $1, $2');
});
