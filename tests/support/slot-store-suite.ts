import { describe, expect, test } from '@jest/globals';
import type { Slot, SlotStore } from '../../lib/webhooks/limits/slots.ts';

const slot = (executionId: string, takenAt = 1_700_000_000_000): Slot => ({ executionId, takenAt });

/** The contract of {@link SlotStore}. @param create - makes an empty one */
export const describeSlotStore = (name: string, create: () => SlotStore | Promise<SlotStore>) => {
  const open = async (max = 2) => {
    const store = await create();
    const take = (
      executionId: string,
      ended: readonly Slot[] = [],
      { workflowId = 'shop', group = 0 } = {},
    ) => store.take({ workflowId, group, slot: slot(executionId), max, ended });
    const list = async (groups = 1) =>
      (await store.list('shop', groups)).map((held) => held.map(({ executionId }) => executionId).sort());
    return { take, list, store };
  };

  describe(`${name} keeps slots`, () => {
    test('as many as exist can be taken, in each group', async () => {
      const { take, list, store } = await open();
      expect(await list()).toEqual([[]]);
      expect([await take('a'), await take('b'), await take('c')]).toEqual([true, true, false]);
      expect(await take('c', [], { workflowId: 'other' })).toBe(true);
      expect(await take('c', [], { group: 6 })).toBe(true);
      expect(await list(7)).toEqual([['a', 'b'], [], [], [], [], [], ['c']]);
      expect(await store.list('shop', 1)).toEqual([expect.arrayContaining([slot('a'), slot('b')])]);
    });

    test('an execution has one', async () => {
      const { take } = await open();
      await take('a');
      expect(await take('a')).toBe(false);
      expect(await take('b')).toBe(true);
    });

    test('those of ended executions are released, each once', async () => {
      const { take, list } = await open();
      await take('a');
      await take('b');
      expect(await take('c', [slot('a')])).toBe(true);
      expect(await take('d', [slot('a')])).toBe(false);
      expect(await list()).toEqual([['b', 'c']]);
      expect(await take('d', [slot('b'), slot('c')])).toBe(true);
      expect(await take('e')).toBe(true);
      expect(await take('f')).toBe(false);
    });

    test('of ten concurrent requests, as many succeed as there are slots', async () => {
      const { take, list } = await open(5);
      const all = await Promise.all(Array.from({ length: 10 }, (_, at) => take(`e${at}`)));
      expect(all.filter((taken) => taken)).toHaveLength(5);
      const [held = []] = await list();
      const next = await Promise.all(
        Array.from({ length: 10 }, (_, at) => take(`f${at}`, [slot(held[at % 5] ?? '')])),
      );
      expect(next.filter((taken) => taken)).toHaveLength(5);
    });
  });
};
