import { type DeliveredInput, ERROR_OUTPUT, type JsonObject, MAIN_OUTPUT } from '@hookloom/plugin-kit';
import type { NodeRun, Outcome } from './node-run.ts';
import type { Outputs } from './progress.ts';
import type { NodeRecord } from './result.ts';
import type { StepResult } from './steps.ts';

/** Applies the node's `onError`. */
export const toOutcome = (run: NodeRun, result: StepResult, endedAt: number): Outcome => {
  const { node } = run.planNode;
  const { attempts, usage } = result;
  const counted = usage === undefined ? { attempts } : { attempts, usage };
  const durationMs = Math.max(0, endedAt - run.startedAt); // clocks can be set back
  if ('outputs' in result) {
    const { outputs } = result;
    return {
      record: { ...toNodeRecord(run, 'succeeded'), ...counted, durationMs, input: run.input, outputs },
      outputs,
      fatal: null,
    };
  }
  const { name, message, details } = result.failure;
  const fatal = Object.freeze({ nodeId: node.id, name, message });
  const failure = details === undefined ? fatal : Object.freeze({ ...fatal, details });
  const record: NodeRecord = {
    ...toNodeRecord(run, 'failed'),
    ...counted,
    durationMs,
    input: run.input,
    failure,
  };
  const { onError = 'fail' } = node.settings ?? {};
  if (onError === 'fail') return { record, outputs: {}, fatal };
  // With the error beside the input, which alone could be taken for the node's own output.
  const data = Object.freeze({ ...run.input, error: failure });
  return { record, outputs: { [onError === 'route' ? ERROR_OUTPUT : MAIN_OUTPUT]: data }, fatal: null };
};

/** A disabled node delivers its input. */
export const passThrough = (run: NodeRun): Outcome => ({
  record: { ...toNodeRecord(run, 'passedThrough') },
  outputs: { [MAIN_OUTPUT]: run.input },
  fatal: null,
});

/** The record of a node that is open, or did nothing. */
export const toNodeRecord = (
  {
    planNode: { node },
    within,
    iteration,
    startedAt,
    attempts,
    usage,
    callbacks,
  }: Pick<NodeRun, 'planNode' | 'within' | 'iteration' | 'startedAt' | 'attempts' | 'usage' | 'callbacks'>,
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
  ...(usage === null ? {} : { usage }),
  ...(callbacks.length === 0 ? {} : { callbacks }),
});

/**
 * Merges the data that connections delivered in their order, the last one winning; a single one is not copied.
 * `fromEntries` defines keys instead of assigning them, so that `__proto__` is data. Frozen like all data, since a
 * disabled or failed node may deliver it to several nodes.
 */
export const mergeInputs = (inputs: readonly DeliveredInput[]): JsonObject => {
  const [first] = inputs;
  if (inputs.length === 1 && first !== undefined) return first.data;
  return Object.freeze(Object.fromEntries(inputs.flatMap(({ data }) => Object.entries(data))));
};

/** The data on `main`, else on the first output. */
export const mainOf = (outputs: Outputs): JsonObject =>
  outputs[MAIN_OUTPUT] ?? Object.values(outputs)[0] ?? {};
