import { expect, test } from '@jest/globals';
import { createStreams } from '../../src/sources/streams.ts';

test('each table has a shard of its own, so that a reader can count up to a place in each', async () => {
  const shards = new Map<string, unknown>();
  const { onChange, stop } = createStreams({
    mappings: ['executions', 'requests'].map((table) => ({
      table,
      functionKey: table,
      keys: ['id'],
      filterPatterns: [{}],
    })),
    invoke: async (functionKey, { shardId }) => void shards.set(functionKey, shardId),
    log: () => {},
    windowMs: 1,
  });
  for (const table of ['executions', 'requests']) onChange(table, null, { id: { S: '1' } });
  await stop();
  expect([...shards.keys()]).toEqual(['executions', 'requests']);
  expect(shards.get('executions')).not.toBe(shards.get('requests'));
});

test('a batch is repeated from the first record that its function reports as failed', async () => {
  const batches: unknown[][] = [];
  const done = Promise.withResolvers<void>();
  const { onChange, stop } = createStreams({
    mappings: [
      { table: 'runs', functionKey: 'send', keys: ['id'], filterPatterns: null, reportsItemFailures: true },
    ],
    invoke: async (_functionKey, { Records }) => {
      const ids = (Records as { dynamodb: { Keys: { id: { S: string } }; SequenceNumber: string } }[]).map(
        ({ dynamodb }) => [dynamodb.Keys.id.S, dynamodb.SequenceNumber],
      );
      batches.push(ids.map(([id]) => id));
      if (batches.length === 2) done.resolve();
      return { batchItemFailures: batches.length === 1 ? [{ itemIdentifier: ids[1]?.[1] ?? '' }] : [] };
    },
    log: () => {},
    windowMs: 1,
  });
  for (const id of ['a', 'b', 'c']) onChange('runs', null, { id: { S: id } });
  await done.promise;
  await stop();
  expect(batches).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c'],
  ]);
});
