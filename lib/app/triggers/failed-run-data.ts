import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { findInputProblem } from '../../executions/deliveries/find-input-problem.ts';
import { keepsData } from '../../executions/lifecycle/limits.ts';
import type { Ports } from '../../executions/ports.ts';
import { unpackText } from '../../executions/record/blob-store.ts';
import type { ExecutionRecord } from '../../executions/record/execution-store.ts';
import { readRefusal } from '../../executions/record/pack-result.ts';
import { viewLarge } from '../../executions/record/view-data.ts';
import { isInfrastructureError } from '../../shared/errors.ts';

export interface FailedDataParts extends Pick<Ports, 'executions' | 'workflows' | 'blobs'> {
  /** Maximum nesting of what fires a trigger, in levels. */
  readonly maxInputDepth: number;
}

/** Limits of the data, each in bytes of UTF-8 JSON: 92 kB in all, with the view of the failed node's input. */
const MAX_TRIGGER_BYTES = 60_000;
const MAX_OUTPUTS_BYTES = 30_000;
/** A request of 6 MB, in JSON with escapes. */
const MAX_STORED_BYTES = 32 * 1024 * 1024;
/** Length of the start that is shown of a value that is too large or too deep, in characters. */
const START_LENGTH = 500;

/**
 * The data of a failed execution that its error triggers receive: what its trigger received, the input of the failed
 * node, and the latest outputs of other nodes by their ids, all redacted. It is read from what the end of the execution
 * has stored, so that a repeated report has the same data.
 *
 * @returns null if the workflow's `recordData` is `never`, or the workflow's version no longer exists
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const readFailedData = async (
  record: ExecutionRecord,
  { executions, workflows, blobs, maxInputDepth }: FailedDataParts,
): Promise<JsonObject | null> => {
  const workflow = await workflows.findVersion(record.workflowId, record.workflowVersion);
  if (workflow === null || !keepsData(workflow.definition.settings, record.mode, true)) return null;
  const data = await executions.findData(record.executionId);
  const bound = (view: JsonValue, maxBytes: number) => boundView(view, maxBytes, maxInputDepth);
  const input = await readStored(data?.input ?? null, blobs);
  const failed = record.nodes.findLast(
    ({ nodeId, status }) => status === 'failed' && nodeId === record.failure?.nodeId,
  );
  return {
    trigger: input === null ? null : bound(viewLarge(input, MAX_TRIGGER_BYTES), MAX_TRIGGER_BYTES),
    input: failed?.input === undefined ? null : bound(failed.input, MAX_OUTPUTS_BYTES),
    ...collectOutputs(record, bound),
  };
};

/** @returns null if the input is not stored, can't be run, or has expired */
const readStored = async (packed: string | null, blobs: Ports['blobs']): Promise<JsonObject | null> => {
  if (packed === null || readRefusal(packed) !== null) return null;
  try {
    return JSON.parse(await unpackText(packed, blobs, MAX_STORED_BYTES)) as JsonObject;
  } catch (error) {
    if (isInfrastructureError(error)) throw error;
    return null;
  }
};

/** Takes the last output of each node outside of loops, latest first, up to the limit; counts those left out. */
const collectOutputs = (
  { nodes, trigger }: ExecutionRecord,
  bound: (view: JsonValue, maxBytes: number) => JsonValue,
): JsonObject => {
  const outputs = new Map<string, JsonValue>();
  let [left, omitted] = [MAX_OUTPUTS_BYTES, 0];
  for (const { nodeId, within, outputs: view } of nodes.toReversed()) {
    if (within !== undefined || view === undefined || nodeId === trigger.nodeId || outputs.has(nodeId))
      continue;
    left -= bytesOf(view) + nodeId.length + 4;
    if (left < 0) omitted += 1;
    else outputs.set(nodeId, bound(view, MAX_OUTPUTS_BYTES));
  }
  return { outputs: Object.fromEntries(outputs), ...(omitted === 0 ? {} : { outputsOmitted: omitted }) };
};

/** Levels of the event around a value: the event, `data`, `outputs` and the node. */
const LEVELS_AROUND = 4;

/** Shows only the start of a view that is too large, or that could not be the input of a run. */
const boundView = (view: JsonValue, maxBytes: number, maxDepth: number): JsonValue => {
  const bytes = bytesOf(view);
  if (bytes <= maxBytes && findInputProblem({ view }, maxDepth - LEVELS_AROUND) === null) return view;
  return { $bytes: bytes, $start: JSON.stringify(view).slice(0, START_LENGTH).toWellFormed() };
};

const bytesOf = (view: JsonValue): number => Buffer.byteLength(JSON.stringify(view));
