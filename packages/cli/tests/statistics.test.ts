import { expect, test } from '@jest/globals';
import { createJsonClient } from '../../../lib/adapters/dynamodb/json-client.ts';
import { createStatisticsStore } from '../../../lib/adapters/dynamodb/statistics/statistics-store.ts';
import { tableNames } from '../../../lib/adapters/dynamodb/table-names.ts';
import type { Happening } from '../../../lib/executions/statistics/counts.ts';
import { useCommandLine } from '../../../tests/support/a-command-line.ts';
import { aUsage } from '../../../tests/support/a-usage.ts';

const aCommandLine = useCommandLine();
const MORNING = Date.parse('2026-11-20T08:59:59Z');
const NOON = Date.parse('2026-11-20T12:00:00Z');

const ended = (status: 'succeeded' | 'failed', durationMs: number, at: number): Happening => ({
  kind: 'ended',
  workflowId: 'orders',
  at,
  status,
  durationMs,
  nodes: [{ nodeId: 'call', status, durationMs }],
  usage: status === 'failed' ? null : aUsage({ tokens: { inputTokens: 1_200 } }),
});

const happenings: readonly Happening[] = [
  { kind: 'started', workflowId: 'orders', at: MORNING },
  { kind: 'started', workflowId: 'orders', at: MORNING },
  ended('succeeded', 20, MORNING + 1_000),
  ended('failed', 65_000, MORNING + 1_000),
  { kind: 'refused', workflowId: 'orders', at: MORNING, code: 'RATE_LIMITED' },
];
const period = '--from 2026-11-20 --to 2026-11-20T12:00:00Z';

const aStage = async () => {
  const commandLine = await aCommandLine();
  const client = createJsonClient({ region: 'local', endpoint: commandLine.endpoint });
  const store = createStatisticsStore(client, tableNames('test'), { now: () => NOON });
  await store.add(
    'shard',
    happenings.map((happening, at) => ({ sequence: BigInt(at), happenings: [happening] })),
  );
  return commandLine;
};

test('statistics has a line for each hour, the refusals, and the nodes of a workflow', async () => {
  const { call } = await aStage();
  expect(await call(`statistics --workflow orders ${period}`)).toMatchObject({
    code: 0,
    out: [
      'HOUR              STARTED  OK  FAILED  TIMED OUT  CANCELLED  REFUSED  P50    P95        COST',
      '2026-11-20T08:00  2        0   0       0          0          1        -      -          $0',
      '2026-11-20T09:00  0        1   1       0          0          0        19 ms  1 min 3 s  over $0.0000037',
      'total             2        1   1       0          0          1        19 ms  1 min 3 s  over $0.0000037',
      '',
      'cost      $0.0000037, at list prices of us-east-1',
      'used      4 write units, 1 invocation, 1,200 input tokens',
      '',
      'REFUSED       REQUESTS',
      'RATE_LIMITED  1',
      '',
      'NODE  RUNS  FAILED  P50    P95',
      'call  2     1       19 ms  1 min 3 s',
    ].join('\n'),
    err: "1 execution is not in the cost: its record doesn't say what it used.",
  });
});

test('statistics of all workflows by day have no nodes', async () => {
  const { call } = await aStage();
  const { out } = await call(`statistics ${period} --step day`);
  expect(out.split('\n')[1]).toMatch(/^2026-11-20 {2}2 +1 +1 +0 +0 +1 +19 ms +1 min/);
  expect(out).not.toContain('NODE');
});

test('statistics --json prints the answer', async () => {
  const { call } = await aStage();
  const { out } = await call(`statistics --workflow orders ${period} --json`);
  expect(JSON.parse(out)).toMatchObject({ workflowId: 'orders', total: { started: 2 } });
});

test('statistics without any says so, and an unknown workflow is refused', async () => {
  const { call } = await aStage();
  expect(await call('statistics --from 2026-11-01 --to 2026-11-02')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/^Nothing was counted from 2026-11-01T00:00:00.000Z to 2026-11-02T01/),
  });
  expect(await call(`statistics --workflow order ${period}`)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('order'),
  });
});

test.each([
  ['--step week', /--step must be one of hour, day/],
  ['--from yesterday', /--from must be a time/],
  ['--workflow a/b', /is not an id/],
])('statistics %s is a mistake of the command line', async (options, message) => {
  const { call, asked } = await aCommandLine({ hasDatabase: false });
  expect(await call(`statistics ${options}`)).toMatchObject({
    code: 2,
    err: expect.stringMatching(message),
  });
  expect(asked).toEqual([]);
});
