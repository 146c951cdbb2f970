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
