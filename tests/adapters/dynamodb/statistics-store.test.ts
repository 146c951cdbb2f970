import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { DynamoDbClient } from '../../../lib/adapters/dynamodb/client.ts';
import { createStatisticsStore } from '../../../lib/adapters/dynamodb/statistics/statistics-store.ts';
import {
  type Counts,
  countHappening,
  type Happening,
  noCounts,
} from '../../../lib/executions/statistics/counts.ts';
import { HOUR_MS, type StreamedChange } from '../../../lib/executions/statistics/statistics-store.ts';
import { aUsage } from '../../support/a-usage.ts';
import { cases } from '../../support/deep.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();
const NOON = Date.parse('2026-11-25T12:00:00Z');
const clock = { now: () => NOON };

const ended = (workflowId: string, at: number, durationMs: number): Happening => ({
  kind: 'ended',
  workflowId,
  at,
  status: durationMs % 3 === 0 ? 'failed' : 'succeeded',
  durationMs,
  nodes: [{ nodeId: 'call', status: durationMs % 3 === 0 ? 'failed' : 'succeeded', durationMs }],
  usage: durationMs % 5 === 0 ? null : aUsage({ microDollars: durationMs }),
});

const anyHappening: fc.Arbitrary<Happening> = fc
  .record({
    kind: fc.constantFrom('started', 'withdrawn', 'ended', 'refused'),
    workflowId: fc.constantFrom('orders', 'mail'),
    at: fc.integer({ min: NOON - 2 * HOUR_MS, max: NOON }),
    durationMs: fc.integer({ min: 0, max: 10_000 }),
  })
  .map(({ kind, workflowId, at, durationMs }): Happening => {
    if (kind === 'ended') return ended(workflowId, at, durationMs);
    return kind === 'refused' ? { kind, workflowId, at, code: 'RATE_LIMITED' } : { kind, workflowId, at };
  });

const toChanges = (happenings: readonly (readonly Happening[])[]): StreamedChange[] =>
  happenings.map((some, at) => ({ sequence: BigInt(at * 7 + 95), happenings: some }));

const collect = async <Part>(parts: AsyncIterable<Part>): Promise<Part[]> => {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

/** All parts as one, with histograms sorted. */
const sum = (happenings: readonly Happening[], hasNodes: boolean): Counts => {
  const counts = noCounts();
  for (const happening of happenings) countHappening(counts, happening, hasNodes);
  return counts;
};

const sumOf = async (
  store: ReturnType<typeof createStatisticsStore>,
  workflowId: string | null,
  hour: number,
): Promise<unknown> => {
  const { mergeCounts } = await import('../../../lib/executions/statistics/counts.ts');
  const counts = noCounts();
  for (const part of await collect(store.read(workflowId, hour, hour))) mergeCounts(counts, part.counts);
  return sorted(counts);
};

const sorted = ({ durations, nodes, ...rest }: Counts) => ({
  ...rest,
  durations: [...durations].sort(([a], [b]) => a - b),
  nodes: [...nodes].map(([id, node]) => [id, node.failed, [...node.durations].sort(([a], [b]) => a - b)]),
});

/** A delivery of a shard's changes: after each batch, Lambda may begin again at an earlier one, with other bounds. */
const anyDelivery = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 12 }), back: fc.integer({ min: 0, max: 15 }) }),
  { maxLength: 12 },
);

/** A client that fails at some calls, before or after they take effect, as when a process dies. */
const failing = (client: DynamoDbClient, failures: Map<number, 'before' | 'after'>): DynamoDbClient => {
  let calls = 0;
  const wrap =
    <Input, Output>(call: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      calls += 1;
      const failure = failures.get(calls);
      if (failure === 'before') throw new Error('died');
      const output = await call(input);
      if (failure === 'after') throw new Error('died');
      return output;
    };
  return { ...client, getItem: wrap(client.getItem), putItem: wrap(client.putItem) };
};

const anyFailures = fc
  .array(
    fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom<('before' | 'after')[]>('before', 'after')),
    { maxLength: 8 },
  )
  .map((failures) => new Map(failures));

test('each change counts once, however batches are cut, repeated and interrupted', async () => {
  const database = await openDatabase();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.array(anyHappening, { maxLength: 2 }), { maxLength: 25 }), {
        minLength: 2,
        maxLength: 2,
      }),
      fc.array(anyDelivery, { minLength: 2, maxLength: 2 }),
      anyFailures,
      async (happenings, deliveries, failures) => {
        run += 1;
        const rename = (one: Happening): Happening => ({ ...one, workflowId: `${one.workflowId}${run}` });
        const shards = happenings.map((some) => toChanges(some.map((list) => list.map(rename))));
        const store = createStatisticsStore(failing(database.client, failures), database.tables, clock);
        const deliver = async (changes: readonly StreamedChange[], shard: number) => {
          // Lambda repeats a failing batch; the failures are fewer.
          let lastError: unknown;
          for (let tries = 0; tries < 50; tries++) {
            try {
              return await store.add(`shard-${run}-${shard}`, changes);
            } catch (error) {
              lastError = error;
            }
          }
          throw new Error('the batch never succeeds', { cause: lastError });
        };
        await Promise.all(
          shards.map(async (changes, shard) => {
            let at = 0;
            for (const { size, back } of deliveries[shard] ?? []) {
              await deliver(changes.slice(Math.max(0, at - back), at + size), shard);
              at = Math.min(changes.length, at + size);
            }
            await deliver(changes.slice(at), shard);
          }),
        );
        const all = shards.flat().flatMap((change) => change.happenings);
        for (const workflowId of [`orders${run}`, `mail${run}`]) {
          for (const hour of [NOON - 2 * HOUR_MS, NOON - HOUR_MS, NOON]) {
            const own = all.filter(
              (one) => one.workflowId === workflowId && one.at >= hour && one.at < hour + HOUR_MS,
            );
            expect(await sumOf(store, workflowId, hour)).toEqual(sorted(sum(own, true)));
          }
        }
      },
    ),
    { numRuns: cases(20, 200) },
  );
});

describe('an hour', () => {
  const open = async () => {
    const database = await openDatabase();
    return { ...database, store: createStatisticsStore(database.client, database.tables, clock) };
  };

  test('is the sum over shards, of one workflow and of all, without the nodes of all', async () => {
    const { store } = await open();
    const happenings = [ended('orders', NOON, 3), ended('orders', NOON, 40), ended('mail', NOON, 500)];
    await store.add('a', toChanges([[happenings[0] as Happening]]));
    await store.add('b', toChanges(happenings.slice(1).map((one) => [one])));
    expect(await collect(store.read('orders', NOON, NOON))).toHaveLength(2);
    expect(await sumOf(store, 'orders', NOON)).toEqual(sorted(sum(happenings.slice(0, 2), true)));
    expect(await sumOf(store, null, NOON)).toEqual(sorted(sum(happenings, false)));
  });

  test('is read if it begins within the period', async () => {
    const { store } = await open();
    const hours = [-25, -2, -1, 0].map((hour) => NOON + hour * HOUR_MS);
    await store.add(
      'a',
      toChanges(hours.map((at) => [{ kind: 'started', workflowId: 'orders', at: at + 1 }])),
    );
    const found = async (from: number, to: number) =>
      (await collect(store.read('orders', from, to))).map(({ hour }) => hour);
    expect(await found(0, NOON)).toEqual(hours);
    expect(await found(NOON - 2 * HOUR_MS, NOON - HOUR_MS)).toEqual(hours.slice(1, 3));
  });

  test('that has expired is not written again', async () => {
    const { store } = await open();
    const at = NOON - 401 * 24 * HOUR_MS;
    await store.add('a', toChanges([[{ kind: 'withdrawn', workflowId: 'orders', at }]]));
    expect(await collect(store.read('orders', 0, NOON))).toEqual([]);
  });

  test('is counted once when a process that Lambda has given up still writes', async () => {
    const { store } = await open();
    const changes = toChanges(Array.from({ length: 30 }, (_, at) => [ended('orders', NOON, at)]));
    const ends = await Promise.allSettled(
      Array.from({ length: 4 }, (_, at) => store.add('a', changes.slice(0, 30 - at * 7))),
    );
    expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
    await store.add('a', changes);
    expect(await sumOf(store, 'orders', NOON)).toEqual(
      sorted(
        sum(
          changes.flatMap((one) => one.happenings),
          true,
        ),
      ),
    );
  });

  test('keeps 100 nodes, whose item stays far below the limit of DynamoDB', async () => {
    const { store, sdk, tables } = await open();
    const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
    const nodes = Array.from({ length: 100_000 }, (_, at) => ({
      nodeId: `node-${at % 150}-${'x'.repeat(50)}`,
      status: 'succeeded' as const,
      durationMs: 1.2 ** (at % 130) + at,
    }));
    const end = { ...ended('orders', NOON, 5), nodes } as Happening;
    await store.add('a', toChanges([[end]]));
    const [part] = await collect(store.read('orders', NOON, NOON));
    expect(part?.counts.nodes.size).toBe(100);
    const { Items = [] } = await sdk.send(new ScanCommand({ TableName: tables.statistics }));
    expect(Math.max(...Items.map((item) => JSON.stringify(item).length))).toBeLessThan(60_000);
  });
});
