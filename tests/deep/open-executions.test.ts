import { expect, test } from '@jest/globals';
import { createExecutionStore } from '../../lib/adapters/dynamodb/executions/execution-store.ts';
import type { ExecutionStatus, ListPosition } from '../../lib/executions/record/execution-store.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../support/a-start.ts';
import { useTestDatabases } from '../support/test-database.ts';

const openDatabase = useTestDatabases();

const NOW = 1_700_000_000_000;

/** Open executions of five workflows: accepted, running, waiting, and held in four queues; others have ended. */
const fill = async () => {
  const { client, tables } = await openDatabase();
  const store = createExecutionStore(client, tables, { retentionDays: 30, clock: { now: () => NOW } });
  const made: Record<string, string[]> = { accepted: [], running: [], waiting: [], held: [], ended: [] };
  for (let at = 0; at < 60; at++) {
    const kind = ['accepted', 'running', 'waiting', 'held', 'ended'][at % 5] ?? '';
    const executionId = `e-${at}`;
    await store.start(
      anExecutionStart({
        executionId,
        workflowId: `w-${at % 4}`,
        startToken: executionId,
        startedAt: NOW + at,
        input: null,
        held: kind === 'held' ? 'paused' : null,
      }),
    );
    if (kind === 'ended') await store.finish(executionId, anExecutionEnd());
    if (kind === 'running' || kind === 'waiting') await store.acquireLease(executionId, aLease());
    if (kind === 'waiting')
      await store.saveProgress(executionId, { status: 'waiting', leaseExpiresAt: NOW + 60_000 });
    // The sweeper has looked at half of those that wait.
    if (kind === 'waiting' && at % 2 === 0)
      await store.extendLease({ executionId, status: 'waiting' }, NOW + 90_000);
    made[kind]?.push(executionId);
  }
  const list = async (statuses: readonly ExecutionStatus[], limit: number) => {
    const found: string[] = [];
    let after: ListPosition | undefined;
    do {
      const page = await store.list({ workflowId: null, statuses, limit, ...(after && { after }) });
      expect(page.executions.length).toBeLessThanOrEqual(limit);
      found.push(...page.executions.map(({ executionId }) => executionId));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return found.sort();
  };
  return { made, list };
};

test('open executions of all workflows, including held ones, are listed by status, page by page', async () => {
  const { made, list } = await fill();
  const { accepted = [], running = [], waiting = [], held = [] } = made;
  for (const limit of [1, 3, 100]) {
    expect(await list(['running'], limit)).toEqual(running.toSorted());
    expect(await list(['waiting'], limit)).toEqual(waiting.toSorted());
    expect(await list(['accepted'], limit)).toEqual([...accepted, ...held].sort());
    const all = [...accepted, ...held, ...running, ...waiting].sort();
    expect(await list(['accepted', 'running', 'waiting'], limit)).toEqual(all);
  }
});
