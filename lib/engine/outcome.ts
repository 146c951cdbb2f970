import type { JsonObject } from '../contract/json.ts';
import { type DeliveredInput, ERROR_OUTPUT, MAIN_OUTPUT } from '../contract/node.ts';
import type { NodeRun, Outcome } from './node-run.ts';
import type { Outputs } from './progress.ts';
import type { NodeRecord } from './result.ts';
import type { StepResult } from './steps.ts';

/** Decides by the node's `onError` what a run of it comes to. */
export const toOutcome = (run: NodeRun, result: StepResult, endedAt: number): Outcome => {
  const { node } = run.planNode;
  const { attempts } = result;
  const durationMs = Math.max(0, endedAt - run.startedAt); // clocks can be set back
  if ('outputs' in result) {
    const { outputs } = result;
    return {
      record: { ...recordOpen(run, 'succeeded'), attempts, durationMs, input: run.input, outputs },
      outputs,
      fatal: null,
    };
  }
  const failure = Object.freeze({ nodeId: node.id, ...result.failure });
  const record: NodeRecord = {
    ...recordOpen(run, 'failed'),
    attempts,
    durationMs,
    input: run.input,
    failure,
  };
  switch (node.settings?.onError ?? 'fail') {
    case 'continue':
      return { record, outputs: { [MAIN_OUTPUT]: run.input }, fatal: null };
    case 'route':
      return {
        record,
        outputs: { [ERROR_OUTPUT]: Object.freeze({ ...run.input, error: failure }) },
        fatal: null,
      };
    case 'fail':
      return { record, outputs: {}, fatal: failure };
  }
};

/** A disabled node hands on what it gets. */
export const passThrough = (run: NodeRun): Outcome => ({
  record: { ...recordOpen(run, 'passedThrough') },
  outputs: { [MAIN_OUTPUT]: run.input },
  fatal: null,
});

/** What can be said of a node that did nothing, or has not ended. */
export const recordOpen = (
  {
    planNode: { node },
    within,
    iteration,
    startedAt,
    attempts,
  }: Pick<NodeRun, 'planNode' | 'within' | 'iteration' | 'startedAt' | 'attempts'>,
  status: NodeRecord['status'],
): NodeRecord => ({
  nodeId: node.id,
  ...(within === '' ? {} : { within }),
  type: node.type,
  status,
  iteration,
  attempts,
  startedAt,
  durationMs: 0,
});

/**
 * The input of a node: what its connections delivered, merged in their order, the later one winning. A single one
 * is handed on as it is. `fromEntries` defines keys instead of assigning them: `__proto__` is a key like any other.
 * Frozen like all data: a disabled node, or one that failed, may hand it on to several.
 */
export const mergeInputs = (inputs: readonly DeliveredInput[]): JsonObject => {
  const [first] = inputs;
  if (inputs.length === 1 && first !== undefined) return first.data;
  return Object.freeze(Object.fromEntries(inputs.flatMap(({ data }) => Object.entries(data))));
};

/** What counts as "the" output of a node: what it delivered on `main`, else on its first output. */
export const mainOf = (outputs: Outputs): JsonObject =>
  outputs[MAIN_OUTPUT] ?? Object.values(outputs)[0] ?? {};
