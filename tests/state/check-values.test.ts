import { describe, expect, test } from '@jest/globals';
import { checkValues } from '../../lib/state/check-values.ts';
import type { ValueCheck } from '../../lib/state/large-values.ts';
import { editEntry, writeEntry } from '../../lib/state/write-entry.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { inMemoryState, inMemoryValues } from '../support/in-memory-state.ts';
import { describeValueChecks } from '../support/value-checks-suite.ts';

const DAY = 86_400_000;
const SCOPE = 'store:shop';
const LARGE = 'x'.repeat(400_000);

describeValueChecks('Memory', async () => inMemoryValues().checks);

const open = () => {
  const store = inMemoryState();
  const { values, blobs, checks } = inMemoryValues();
  const clock = aManualClock(Date.parse('2026-01-01T00:00:00.000Z'));
  const parts = { store, values, blobs, checks, clock };
  const failures: unknown[] = [];
  return {
    ...parts,
    failures,
    put: (value: string, ttlSeconds?: number) =>
      editEntry(parts, SCOPE, { operation: 'put', key: 'a', value, ttlSeconds }, null, () => {}),
    remove: () => editEntry(parts, SCOPE, { operation: 'delete', key: 'a' }, null, () => {}),
    read: async () => (await values.load(await store.find(SCOPE, 'a')))?.content,
    /** Checks every day. */
    pass: async (days: number, changed: Partial<typeof parts> = {}) => {
      for (let day = 0; day < days; day++) {
        clock.advance(DAY);
        const onFailure = (_check: ValueCheck, cause: unknown) => failures.push(cause);
        await checkValues({ ...parts, ...changed }, { mayGoOn: () => true, onFailure });
      }
    },
  };
};

describe('a large value', () => {
  test('is kept for as long as its entry names it: a year, and another', async () => {
    const { put, pass, read, checks } = open();
    await put(LARGE);
    await pass(800);
    expect(await read()).toEqual({ kind: 'value', value: LARGE });
    expect(checks.all()).toHaveLength(1);
  });

  test.each<[string, (parts: ReturnType<typeof open>) => Promise<unknown>]>([
    ['was overwritten', ({ put }) => put('small')],
    ['was deleted', ({ remove }) => remove()],
    ['was overwritten by a large one', ({ put }) => put(LARGE)],
  ])(
    'of an entry that %s stays for as long as a table can be restored, then is removed',
    async (_case, change) => {
      const opened = open();
      await opened.put(LARGE);
      await opened.pass(50);
      const [old = ''] = opened.blobs.keys();
      await change(opened);
      await opened.pass(35);
      expect(opened.blobs.keys()).toContain(old);
      await opened.pass(14);
      expect(opened.blobs.keys()).not.toContain(old);
      expect(opened.checks.all().map(({ blob }) => blob)).toEqual(opened.blobs.keys());
    },
  );

  test('of an entry that has expired is removed, even if its item is still there', async () => {
    const { put, pass, blobs, store, checks } = open();
    await put(LARGE, 60);
    await pass(60);
    expect(await store.find(SCOPE, 'a')).not.toBeNull();
    expect(blobs.keys()).toEqual([]);
    expect(checks.all()).toEqual([]);
  });

  test('that no entry ever named is removed', async () => {
    const { values, pass, blobs, clock } = open();
    await values.save({ scope: SCOPE, key: 'a' }, { kind: 'value', value: LARGE }, clock.now());
    expect(blobs.keys()).toHaveLength(1);
    await pass(60);
    expect(blobs.keys()).toEqual([]);
  });

  test('of an entry that was restored is kept again', async () => {
    const { put, pass, read, store, remove } = open();
    await put(LARGE);
    const before = await store.find(SCOPE, 'a');
    if (before === null) throw new Error('There is no entry');
    await remove();
    await pass(30);
    const { version: _version, ...copy } = before;
    await writeEntry(store, await store.find(SCOPE, 'a'), copy);
    await pass(100);
    expect(await read()).toEqual({ kind: 'value', value: LARGE });
  });

  test('that could not be checked is checked by the next sweep, and keeps no other from it', async () => {
    const { put, pass, blobs, failures, values, clock, checks } = open();
    await put(LARGE);
    await values.save({ scope: SCOPE, key: 'b' }, { kind: 'value', value: LARGE }, clock.now());
    const [first = ''] = blobs.keys();
    const fails = async () => {
      throw new Error('unavailable');
    };
    await put('small');
    await pass(60, { blobs: { ...blobs, remove: (key) => (key === first ? fails() : blobs.remove(key)) } });
    expect(blobs.keys()).toEqual([first]);
    expect(failures).not.toEqual([]);
    await pass(1);
    expect([blobs.keys(), checks.all()]).toEqual([[], []]);
  });
});
