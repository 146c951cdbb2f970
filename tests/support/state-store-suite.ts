import { describe, expect, test } from '@jest/globals';
import type { StateEntry, StateStore } from '../../lib/state/state-store.ts';

const NOW = 1_700_000_000_000;

export const aStateEntry = (changes: Partial<StateEntry> = {}): StateEntry => ({
  scope: 'workflow:shop',
  key: 'a',
  version: 1,
  content: { kind: 'value', value: { total: 3 } },
  writtenAt: NOW,
  writtenBy: { executionId: 'e-1', caller: null },
  expiresAt: null,
  effect: { id: 'effect-1', result: { version: 1 }, at: NOW },
  ...changes,
});

/** The contract of {@link StateStore}. @param create - makes an empty one */
export const describeStateStore = (name: string, create: () => Promise<StateStore>) => {
  describe(`${name} keeps state`, () => {
    test.each<[string, Partial<StateEntry>]>([
      ['a value', {}],
      ['null', { content: { kind: 'value', value: null } }],
      ['a value of 400,000 bytes', { content: { kind: 'value', value: randomText(399_998) } }],
      ['the name of a large value', { content: { kind: 'large', blob: 'state/1', bytes: 400_001 } }],
      ['a key of 1,024 bytes', { key: 'é'.repeat(512) }],
      [
        'a claim',
        { content: { kind: 'claim', owner: 'o', executionId: 'e-1', confirmBy: NOW }, effect: null },
      ],
      ['what was deleted', { content: { kind: 'deleted' } }],
      ['what has expired', { expiresAt: NOW - 1 }],
    ])('%s is found as it was written', async (_case, changes) => {
      const store = await create();
      const entry = aStateEntry(changes);
      expect(await store.find(entry.scope, entry.key)).toBeNull();
      expect(await store.put(entry, null)).toBe(true);
      expect(await store.find(entry.scope, entry.key)).toEqual(entry);
    });

    test.each<[string, number, number | null]>([
      ['a first version of what exists', 1, null],
      ['a version that was overtaken', 2, 1],
      ['a version of what does not exist', 0, 1],
    ])('%s is refused, and nothing is changed', async (_case, before, replaces) => {
      const store = await create();
      for (let version = 1; version <= before; version++)
        await store.put(aStateEntry({ version }), version === 1 ? null : version - 1);
      const kept = await store.find('workflow:shop', 'a');
      const other = aStateEntry({ version: 9, content: { kind: 'value', value: 'other' } });
      expect(await store.put(other, replaces)).toBe(false);
      expect(await store.find('workflow:shop', 'a')).toEqual(kept);
    });

    test('one of many concurrent writers of the same version wins', async () => {
      const store = await create();
      const writes = Array.from({ length: 8 }, (_, at) =>
        store.put(aStateEntry({ content: { kind: 'value', value: at } }), null),
      );
      const outcomes = await Promise.all(writes);
      expect(outcomes.filter((won) => won)).toHaveLength(1);
      const found = await store.find('workflow:shop', 'a');
      expect(found?.content).toEqual({ kind: 'value', value: outcomes.indexOf(true) });
    });

    test('effects are kept by their id', async () => {
      const store = await create();
      const effect = { id: 'effect-1', result: { value: 3 }, at: NOW };
      expect(await store.findEffect('effect-1')).toBeNull();
      await store.keepEffect(effect);
      await store.keepEffect(effect);
      expect(await store.findEffect('effect-1')).toEqual(effect);
      expect(await store.findEffect('effect-2')).toBeNull();
    });

    test('entries are listed by key, within a scope and a prefix, page by page', async () => {
      const store = await create();
      for (const key of ['order/2', 'order/1', 'order/3', 'user/1'])
        await store.put(aStateEntry({ key }), null);
      await store.put(aStateEntry({ scope: 'store:shop', key: 'order/9' }), null);
      const read = async (prefix: string, after: string | null, limit: number) => {
        const { entries, next } = await store.list('workflow:shop', { prefix, after, limit });
        return { keys: entries.map(({ key }) => key), next };
      };
      expect(await read('', null, 10)).toEqual({
        keys: ['order/1', 'order/2', 'order/3', 'user/1'],
        next: null,
      });
      expect(await read('order/', null, 2)).toEqual({ keys: ['order/1', 'order/2'], next: 'order/2' });
      expect(await read('order/', 'order/2', 2)).toEqual({ keys: ['order/3'], next: null });
      expect(await read('none', null, 2)).toEqual({ keys: [], next: null });
    });
  });
};

/** Text that can hardly be compressed, the same each time. */
const randomText = (length: number): string => {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  };
  return Array.from({ length }, next).join('').replaceAll('"', 'q').replaceAll('\\', 'b');
};
