import { describe, expect, test } from '@jest/globals';
import type { Slot, SlotStore } from '../../lib/webhooks/limits/slots.ts';

const slot = (executionId: string, takenAt = 1_700_000_000_000): Slot => ({ executionId, takenAt });

/**
 * The contract of {@link SlotStore}.
 *
 * @param create - makes an empty one
 * @param concurrent - how many requests come at once
 */
export const describeSlotStore = (
  name: string,
  create: () => SlotStore | Promise<SlotStore>,
  concurrent: number,
) => {
  const open = async (max = 2) => {
    const store = await create();
    return (executionId: string, ended: readonly Slot[] = [], workflowId = 'shop') =>
      store.take({ workflowId, slot: slot(executionId), max, ended });
  };

  describe(`${name} keeps slots`, () => {
    test('as many as there are can be taken; then it says which are held', async () => {
      const take = await open();
      expect([await take('a'), await take('b')]).toEqual([null, null]);
      const held = await take('c');
      expect([...(held ?? [])].sort((a, b) => (a.executionId < b.executionId ? -1 : 1))).toEqual([
        slot('a'),
        slot('b'),
      ]);
      expect(await take('c', [], 'other')).toBeNull();
    });

    test('an execution has one', async () => {
      const take = await open();
      await take('a');
      expect(await take('a')).toEqual([slot('a')]);
      expect(await take('b')).toBeNull();
    });

    test('those of executions that have ended are given up, each once', async () => {
      const take = await open();
      await take('a');
      await take('b');
      expect(await take('c', [slot('a')])).toBeNull();
      expect(await take('d', [slot('a')])).toHaveLength(2);
      expect(await take('d', [slot('b'), slot('c')])).toBeNull();
      expect(await take('e')).toBeNull();
      expect(await take('f')).toHaveLength(2);
    });

    test(`of ${concurrent} at once, as many succeed as there are slots`, async () => {
      const take = await open(5);
      const all = await Promise.all(Array.from({ length: concurrent }, (_, at) => take(`e${at}`)));
      expect(all.filter((held) => held === null)).toHaveLength(5);
      const held = all.find((others) => others?.length === 5) ?? [];
      const next = await Promise.all(
        Array.from({ length: concurrent }, (_, at) => take(`f${at}`, [held[at % 5] ?? slot('')])),
      );
      expect(next.filter((others) => others === null)).toHaveLength(5);
    });
  });
};
