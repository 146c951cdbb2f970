import { expect, test } from '@jest/globals';
import { borrowCredentials } from '../../lib/engine/credentials.ts';
import type { PlanNode } from '../../lib/workflows/plan/plan.ts';

const planNode = {
  node: { credentialId: 'shop' },
  nodeType: { kind: 'action', credentialTypes: ['bearer'] },
} as unknown as PlanNode;

test('credentials are opened once, and again after a failure', async () => {
  const lent = { id: 'shop' } as never;
  let opened = 0;
  const open = async () => {
    opened++;
    if (opened === 1) throw new Error('not loaded');
    return { lend: async () => lent, scrub: <Value>(value: Value) => value };
  };
  const { borrow } = borrowCredentials({ open });
  await expect(borrow(planNode)).rejects.toThrow('not loaded');
  expect(await Promise.all([borrow(planNode), borrow(planNode)])).toEqual([lent, lent]);
  expect(opened).toBe(2);
});
