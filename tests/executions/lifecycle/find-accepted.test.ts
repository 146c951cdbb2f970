import { describe, expect, test } from '@jest/globals';
import { findAccepted } from '../../../lib/executions/lifecycle/find-accepted.ts';
import type { ExecutionRecord, ExecutionStart } from '../../../lib/executions/record/execution-store.ts';
import { aLease, anExecutionStart } from '../../support/a-start.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const DAY = 86_400_000;
const now = Date.parse('2026-11-20T12:00:00Z');

const aStore = async (...starts: readonly Partial<ExecutionStart>[]) => {
  const store = inMemoryExecutionStore();
  for (const start of starts) await store.start(anExecutionStart({ startedAt: now, ...start }));
  return store;
};

describe('of the executions that wait to start,', () => {
  test('the number and the oldest are found, whatever their order', async () => {
    const store = await aStore(
      { executionId: 'e-1', startedAt: now - 2_000 },
      { executionId: 'e-2', startedAt: now - 5_000, workflowId: 'reports', mode: 'express' },
      { executionId: 'e-3', startedAt: now - 3_000 },
    );
    expect(await findAccepted(store, now)).toEqual({
      count: 3,
      oldest: {
        executionId: 'e-2',
        workflowId: 'reports',
        mode: 'express',
        since: '2026-11-20T11:59:55.000Z',
      },
    });
  });

  test('there may be none', async () => {
    expect(await findAccepted(await aStore(), now)).toEqual({ count: 0, oldest: null });
  });

  test('those that run, and those that have ended, are none', async () => {
    const store = await aStore({ executionId: 'e-1' }, { executionId: 'e-2', startedAt: now - 1 });
    await store.acquireLease('e-2', aLease({ leaseExpiresAt: now + DAY }));
    expect(await findAccepted(store, now)).toMatchObject({ count: 1, oldest: { executionId: 'e-1' } });
  });

  /** What the index has may no longer be what the record says. */
  const aListed = (...records: readonly Partial<ExecutionRecord>[]) => ({
    findDue: async function* () {
      yield* records.map(({ executionId = '' }) => executionId);
    },
    find: async (id: string) =>
      (records.find(({ executionId, status }) => executionId === id && status !== undefined) ??
        null) as ExecutionRecord | null,
  });

  test('those that were removed or are held meanwhile are left out', async () => {
    const waiting = { ...anExecutionStart({ startedAt: now }), releasedAt: null };
    const listed = aListed(
      { executionId: 'removed' },
      { ...waiting, executionId: 'held', held: 'paused', startedAt: now - DAY },
      { ...waiting, executionId: 'running', status: 'running', startedAt: now - DAY },
      { ...waiting, executionId: 'waits' },
    );
    expect(await findAccepted(listed, now)).toMatchObject({ count: 1, oldest: { executionId: 'waits' } });
  });

  test('one that was held waits since its release', async () => {
    const waiting = { ...anExecutionStart({ startedAt: now - 5_000 }), releasedAt: null };
    const listed = aListed(
      { ...waiting, executionId: 'released', startedAt: now - DAY, releasedAt: now - 1_000 },
      { ...waiting, executionId: 'older' },
    );
    expect((await findAccepted(listed, now)).oldest).toMatchObject({
      executionId: 'older',
      since: '2026-11-20T11:59:55.000Z',
    });
  });

  test('those are read that a sweep has postponed by a day, and at most 300', async () => {
    const starts = Array.from({ length: 305 }, (_, index) => ({
      executionId: `e-${index}`,
      startedAt: now + DAY + index,
    }));
    expect(await findAccepted(await aStore(...starts), now)).toMatchObject({ count: 300 });
  });
});
