import type { Clock, Ids, JsonValue, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType, Polled } from '@hookloom/plugin-kit/host';
import type { NodeFailure } from '../../engine/result.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import { compilePlan } from '../../workflows/plan/compile-plan.ts';
import { asPoll } from '../../workflows/plan/poll-type.ts';
import { computeRoute } from '../../workflows/plan/route.ts';
import type { BlobStore } from '../record/blob-store.ts';
import { type FinishParts, startAndFinish } from './finish-execution.ts';
import { toStart } from './new-execution.ts';
import { computeEnd, createPrepareRun, runToResult } from './run-execution.ts';

type PrepareParts = Omit<Parameters<typeof createPrepareRun>[0], 'openPlan' | 'blobs'>;

export interface PollSourceParts extends PrepareParts, FinishParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly blobs: Pick<BlobStore, 'put'>;
}

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
  parts: PollSourceParts,
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
    ...parts,
    blobs: undefined,
    openPlan: async () => {
      const plan = compilePlan(alone.definition, asPoll(findNodeType));
      return { ...plan, routeFrom: () => computeRoute(plan, 0) };
    },
  });
  const { run } = await prepare({ ...execution, input: { position } }, Number.POSITIVE_INFINITY);
  const start = toStart(execution, {
    mode: 'inline',
    status: 'running',
    startedAt: parts.clock.now(),
    startToken: parts.ids.next(),
    input: null,
    callbackKey: null,
  });
  const result = await runToResult(() => run(start), start, parts.logger);
  if (result.status === 'succeeded') return result.output as unknown as Polled;
  const { input: _input, variables: _variables, ...end } = await computeEnd(execution, start, result, parts);
  await startAndFinish(start, end, parts);
  return { failure: result.failure ?? { nodeId: node.id, name: 'Error', message: 'The poll failed' } };
};
