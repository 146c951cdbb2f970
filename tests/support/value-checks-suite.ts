import { describe, expect, test } from '@jest/globals';
import type { ValueCheck, ValueChecks } from '../../lib/state/large-values.ts';

const NOW = 1_700_000_000_000;

const aCheck = (changes: Partial<ValueCheck> = {}): ValueCheck => ({
  blob: 'state/8c0f',
  scope: 'workflow:shop',
  key: 'Ä b/c',
  dueAt: NOW,
  unusedSince: null,
  ...changes,
});

/** The contract of {@link ValueChecks}. @param create - makes an empty one */
export const describeValueChecks = (name: string, create: () => Promise<ValueChecks>) => {
  describe(`${name} keeps checks of large values`, () => {
    test('those that are due are found as they were added, until they are removed', async () => {
      const checks = await create();
      const due = [
        ...Array.from({ length: 120 }, (_, at) => aCheck({ blob: `state/${at}` })),
        aCheck({ dueAt: NOW - 1, unusedSince: NOW - 9 }),
      ];
      for (const check of [...due, aCheck({ blob: 'state/later', dueAt: NOW + 1 })]) await checks.add(check);
      await checks.add(aCheck({ blob: 'state/0' }));
      const byBlob = (all: readonly ValueCheck[]) => [...all].sort((a, b) => a.blob.localeCompare(b.blob));
      const found = async (now: number) => {
        const all: ValueCheck[] = [];
        for await (const check of checks.findDue(now)) all.push(check);
        return byBlob(all);
      };
      expect(await found(NOW)).toEqual(byBlob(due));
      expect(await found(NOW + 1)).toHaveLength(due.length + 1);
      for (const check of [...due, aCheck({ dueAt: NOW - 1 })]) await checks.remove(check);
      expect(await found(NOW + 1)).toEqual([aCheck({ blob: 'state/later', dueAt: NOW + 1 })]);
    });
  });
};
