import { describe, expect, test } from '@jest/globals';
import type { SettingsStore, Variable } from '../../lib/shared/settings/settings.ts';

export const aVariable = (changes: Partial<Variable> = {}): Variable => ({
  name: 'region',
  type: 'string',
  value: 'eu-central-1',
  description: null,
  changedAt: '2026-01-02T03:04:05.000Z',
  changedBy: 'arn:aws:iam::123456789012:user/ann',
  revision: 1,
  ...changes,
});

/** The contract of {@link SettingsStore}. @param create - makes an empty one */
export const describeSettingsStore = (name: string, create: () => Promise<SettingsStore>) => {
  describe(`${name} keeps settings`, () => {
    test('what was never set is empty, with revision 0', async () => {
      const store = await create();
      const empty = { content: [], revision: 0 };
      expect([await store.find('variables'), await store.findLatest('plugins')]).toEqual([empty, empty]);
    });

    test('each setting is kept by itself', async () => {
      const store = await create();
      const plugin = { id: 'slack', disabledAt: '2026-01-02T03:04:05.000Z', disabledBy: null, message: null };
      expect(await store.put('variables', { content: [aVariable()], revision: 1 })).toBe(true);
      expect(await store.put('plugins', { content: [plugin], revision: 1 })).toBe(true);
      expect(await store.find('variables')).toEqual({ content: [aVariable()], revision: 1 });
      expect(await store.findLatest('plugins')).toEqual({ content: [plugin], revision: 1 });
    });

    test('the largest content fits', async () => {
      const store = await create();
      const content = Array.from({ length: 25 }, (_, at) =>
        aVariable({ name: `v${at}`, value: '\u{10ffff}'.repeat(1_000) }),
      );
      expect(await store.put('variables', { content, revision: 1 })).toBe(true);
      expect(await store.find('variables')).toEqual({ content, revision: 1 });
    });

    test.each([
      ['a first revision of what exists', 1, 1],
      ['a revision that skips one', 1, 3],
      ['a revision that was overtaken', 2, 2],
      ['a second revision of what does not exist', 0, 2],
    ])('%s is refused, and nothing is changed', async (_case, before, revision) => {
      const store = await create();
      for (let earlier = 1; earlier <= before; earlier++)
        await store.put('variables', { content: [aVariable()], revision: earlier });
      const kept = await store.findLatest('variables');
      expect(await store.put('variables', { content: [], revision })).toBe(false);
      expect(await store.findLatest('variables')).toEqual(kept);
    });

    test('one of many concurrent writers of the same revision wins', async () => {
      const store = await create();
      const writes = Array.from({ length: 8 }, (_, at) =>
        store.put('variables', { content: [aVariable({ value: at })], revision: 1 }),
      );
      const outcomes = await Promise.all(writes);
      expect(outcomes.filter((won) => won)).toHaveLength(1);
      const { content } = await store.findLatest('variables');
      expect(content[0]?.value).toBe(outcomes.indexOf(true));
    });
  });
};
