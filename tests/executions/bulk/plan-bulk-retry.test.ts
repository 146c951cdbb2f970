import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import { MAX_EXECUTIONS } from '../../../lib/executions/bulk/bulk-retry.ts';
import { planBulkRetry } from '../../../lib/executions/bulk/plan-bulk-retry.ts';
import { compilePlan } from '../../../lib/workflows/plan/compile-plan.ts';
import { aGraph } from '../../support/a-run.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';

const T0 = 1_700_000_000_000;

const { definition, findNodeType } = aGraph({
  nodes: {
    look: {},
    reserve: { pure: false },
    pay: { pure: false },
    mail: { pure: false },
    off: { pure: false, disabled: true },
    pause: { control: { suspends: true } },
    alone: { pure: false },
  },
  edges: ['start -> look', 'look -> reserve', 'reserve -> pay', 'pay -> mail', 'mail -> off', 'off -> pause'],
});

const aNode = (nodeId: string, status: NodeRecord['status'] = 'succeeded'): NodeRecord => ({
  nodeId,
  type: `type-${nodeId}`,
  status,
  iteration: 0,
  attempts: 1,
  startedAt: T0,
  durationMs: 1,
});

/** Executions that failed at `pay`, a millisecond apart. */
const fail = async (count: number) => {
  const executions = inMemoryExecutionStore();
  const workflows = inMemoryWorkflowStore();
  await workflows.put(definition, []);
  const checkpoints = 'j{"reserve/0":{"step":{"outputs":{"main":{}},"attempts":1}}}';
  for (let at = 0; at < count; at++) {
    const executionId = `e-${at}`;
    const trigger = { nodeId: 'start', type: 'type-start' };
    await executions.start(
      anExecutionStart({
        executionId,
        trigger,
        workflowId: 'workflow',
        workflowVersion: 1,
        startedAt: T0 + at,
      }),
    );
    await executions.finish(
      executionId,
      anExecutionEnd({
        status: 'failed',
        failure: { nodeId: 'pay', name: 'Error', message: 'no' },
        checkpoints,
        nodes: [aNode('start'), aNode('look'), aNode('reserve'), aNode('pay', 'failed')],
      }),
    );
  }
  const filter = {
    workflowId: 'workflow',
    statuses: ['failed'] as const,
    from: null,
    to: T0 + count,
    failureNode: null,
    failureName: null,
    workflowVersion: null,
  };
  const parts = {
    executions,
    workflows,
    openPlan: async (workflow: { definition: typeof definition }) =>
      compilePlan(workflow.definition, findNodeType),
  };
  return (changes: object = {}, mayGoOn = () => true, from: string | null = null) =>
    planBulkRetry({ filter: { ...filter, ...changes }, from, version: 'recorded' }, parts as never, mayGoOn);
};

describe('the plan of a bulk retry', () => {
  test('counts the nodes that act on the outside, and no others', async () => {
    const plan = await fail(2);
    const { executionIds, effects } = await plan();
    expect(executionIds).toEqual(['e-0', 'e-1']);
    expect(effects).toEqual([
      { workflowId: 'workflow', nodeId: 'reserve', type: 'type-reserve', runsAgain: 2, mayRun: 0 },
      { workflowId: 'workflow', nodeId: 'pay', type: 'type-pay', runsAgain: 2, mayRun: 0 },
      { workflowId: 'workflow', nodeId: 'mail', type: 'type-mail', runsAgain: 0, mayRun: 2 },
    ]);
  });

  test('from a node leaves out those before it', async () => {
    const plan = await fail(1);
    const { effects } = await plan({}, () => true, 'pay');
    expect(effects.map(({ nodeId }) => nodeId)).toEqual(['pay', 'mail']);
  });

  test('of more than can be retried at once says since when all were checked', async () => {
    const plan = await fail(MAX_EXECUTIONS + 2);
    const first = await plan();
    expect(first.executionIds).toHaveLength(MAX_EXECUTIONS);
    expect(first.checkedSince).toBe(T0 + 3); // the oldest that was checked began at T0 + 2, perhaps with others
    const since = await plan({ from: first.checkedSince });
    expect([since.executionIds.length, since.checkedSince]).toEqual([MAX_EXECUTIONS - 1, null]);
    const before = await plan({ to: first.checkedSince });
    expect([before.executionIds, before.checkedSince]).toEqual([['e-0', 'e-1', 'e-2', 'e-3'], null]);
  });

  test('that runs out of time says since when all were checked', async () => {
    const plan = await fail(200);
    let left = 100;
    const { executionIds, checkedSince } = await plan({}, () => left-- > 0);
    expect(executionIds.length).toBeGreaterThan(50);
    expect(checkedSince).toBe(T0 + 200 - executionIds.length + 1);
    expect(await plan({}, () => false)).toMatchObject({ executionIds: [], checkedSince: T0 + 200 });
  });
});
