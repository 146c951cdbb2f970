import { expect, test } from '@jest/globals';
import { randomIds } from '../../../lib/adapters/runtime/system-clock.ts';

test('identifiers are unique and safe wherever ids are used', () => {
  const ids = Array.from({ length: 1_000 }, () => randomIds.next());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
