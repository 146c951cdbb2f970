import type { JsonValue, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType, Polled } from '@hookloom/plugin-kit/host';
import type { NodeFailure } from '../../engine/result.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import { asPoll } from '../../workflows/plan/poll-type.ts';
import { computeRoute } from '../../workflows/plan/route.ts';
import type { FinishPorts, NodePorts, Ports } from '../ports.ts';
import { startAndFinish } from './finish-execution.ts';
import { INLINE_START, toStart } from './new-execution.ts';
import { computeEnd, createPrepareRun, runToResult } from './run-execution.ts';

interface DuePoll {
  /** Of the poll itself. */
  readonly executionId: string;
  /** What the latest poll has returned whose items were all started; null if there is none. */
  readonly position: JsonValue;
}

/** How long a poll may take in all, with its retries; the workflow may set another timeout. */
const POLL_SECONDS = 300;

/**
 * Fetches the items of a trigger that polls, on the engine of inline runs. A poll that succeeds leaves no execution; one that
 * fails is recorded, published and reported as a failed execution of the workflow, which can't be retried: the next poll is
 * its retry.
 *
 * @param executionId - the same whenever this poll is repeated
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` | `WORKFLOW_INVALID` if nothing was fetched or recorded
 */
export const pollSource = async (
  workflow: Workflow,
  node: WorkflowNode,
  { executionId, position }: DuePoll,
  findNodeType: FindNodeType,
  ports: NodePorts & FinishPorts & Pick<Ports, 'clock' | 'ids' | 'blobs'>,
): Promise<Polled | { readonly failure: NodeFailure }> => {
  const { settings = {}, ...definition } = workflow.definition;
  const alone = {
    ...workflow,
    definition: {
      ...definition,
      settings: { timeoutSeconds: POLL_SECONDS, ...settings },
      nodes: [{ ...node, settings: { ...node.settings, onError: 'fail' as const } }],
      connections: [],
    },
  };
  const trigger = { nodeId: node.id, type: node.type };
  const execution = {
    executionId,
    workflow: alone,
    trigger,
    traceparent: null,
    input: {},
    keepsResult: false,
  };
  const prepare = createPrepareRun({
    ...ports,
    openPlan: async () => {
      const plan = compilePlan(alone.definition, asPoll(findNodeType));
      return { ...plan, routeFrom: () => computeRoute(plan, 0) };
    },
  });
  const { run } = await prepare({ ...execution, input: { position } }, Number.POSITIVE_INFINITY);
  const start = toStart(execution, {
    ...INLINE_START,
    startedAt: ports.clock.now(),
    startToken: ports.ids.next(),
  });
  const result = await runToResult(() => run(start), start, ports.logger);
  if (result.status === 'succeeded') return result.output as unknown as Polled;
  const { input: _input, variables: _variables, ...end } = await computeEnd(execution, start, result, ports);
  await startAndFinish(start, end, ports);
  return { failure: result.failure ?? { nodeId: node.id, name: 'Error', message: 'The poll failed' } };
};
