import type { Clock, JsonObject, JsonValue, WorkflowNode } from '@hookloom/plugin-kit';
import type { FindNodeType, Polled } from '@hookloom/plugin-kit/host';
import { toFailure } from '../../engine/failure.ts';
import { findInputProblem } from '../../executions/deliveries/find-input-problem.ts';
import { executionIdOfPoll } from '../../executions/deliveries/to-execution-id.ts';
import { acceptExecution } from '../../executions/lifecycle/accept-execution.ts';
import { nodeTypesOf } from '../../executions/lifecycle/plans.ts';
import { pollSource } from '../../executions/lifecycle/poll-source.ts';
import type { AcceptPorts, FinishPorts, NodePorts, Ports } from '../../executions/ports.ts';
import { unpackText } from '../../executions/record/blob-store.ts';
import type { ExecutionRecord } from '../../executions/record/execution-store.ts';
import { readRefusal } from '../../executions/record/pack-result.ts';
import { countStart, measure } from '../../shared/metrics.ts';
import { workThrough } from '../../shared/work-through.ts';
import {
  failingSince,
  POLL_LOCK_MS,
  type PollRecord,
  readPollRecord,
  toInterrupted,
} from '../../state/poll-record.ts';
import { type NewKey, openSeenKeys } from '../../state/seen-keys.ts';
import { type StateEntry, type StateStore, scopeOfWorkflow } from '../../state/state-store.ts';
import { writeEntry } from '../../state/write-entry.ts';
import { resolveTrigger } from '../../triggers/registrations/resolve-triggers.ts';
import type { DuePoll } from '../../triggers/start-by-event.ts';
import type { Workflow } from '../../workflows/definition/definition.ts';
import { resolveExecution } from '../../workflows/definition/resolve-execution.ts';
import type { WorkflowReader } from '../../workflows/definition/workflow-store.ts';
import { pollOf } from '../../workflows/plan/poll-type.ts';

export interface PollParts extends NodePorts, FinishPorts, AcceptPorts, Pick<Ports, 'loadNodeTypes'> {
  readonly clock: Clock;
  readonly state: StateStore;
  /** Reads the current version, with the values of its variables. */
  readonly findWorkflow: WorkflowReader['find'];
  /** Maximum nesting of an item, in levels. */
  readonly maxInputDepth: number;
}

/** How many executions are started concurrently. */
const STARTS_AT_ONCE = 8;

const DEFAULT_TTL_SECONDS = 7_776_000;

/**
 * Polls for a trigger: fetches its items, starts the workflow for those whose keys were not seen, and then marks these keys.
 * Repeatable wherever it was interrupted: the id of an execution is derived from the key, so that none starts twice. A poll
 * that fails marks nothing.
 *
 * @param requestId - the same when Lambda repeats the invocation
 * @throws AppError `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE` | `DISPATCH_REFUSED`, after which it is to be repeated
 */
export const runPoll = async (
  { workflowId, triggerNodeId, dueAt }: DuePoll,
  requestId: string,
  parts: PollParts,
): Promise<void> => {
  const { logger, clock } = parts;
  const skip = (reason: string) =>
    logger.warn('The poll does nothing.', { workflowId, triggerNodeId, reason });
  const workflow = await parts.findWorkflow(workflowId);
  const node = workflow?.definition.nodes.find(({ id }) => id === triggerNodeId);
  if (workflow === null || node === undefined || !workflow.definition.enabled || node.disabled === true)
    return skip('the workflow or its trigger no longer exists, or is disabled');
  const findNodeType = await parts.loadNodeTypes(nodeTypesOf(workflow.definition));
  if (pollOf(findNodeType(node.type)) === null) return skip('the trigger does not poll');

  const record = await lockPoll({ workflowId, triggerNodeId, requestId }, parts);
  if (record === null) return skip('another poll of this trigger is running');
  const polledAt = new Date(clock.now()).toISOString();
  const pollId = executionIdOfPoll([workflowId, triggerNodeId, 'poll', dueAt]);
  const end = await pollLocked(
    { workflow, node, record: record.value, polledAt, pollId },
    findNodeType,
    parts,
  ).catch(async (error: unknown) => {
    // The next poll, or the repetition of this one, must not wait for the end of the lock.
    const { name, message } = toFailure(error);
    const since = failingSince(record.value, polledAt);
    const failure = { name, message, executionId: null, since };
    await record.release({ ...record.value, polledAt, found: 0, started: 0, failure }).catch(() => {});
    throw error;
  });
  await record.release(end);
};

interface LockedPoll {
  readonly workflow: Workflow;
  readonly node: WorkflowNode;
  readonly record: PollRecord;
  readonly polledAt: string;
  /** Of the poll's own execution, which is stored if it fails. */
  readonly pollId: string;
}

/** Polls while no other poll of the trigger does. @returns what is remembered of it. Throws like {@link runPoll} */
const pollLocked = async (
  { workflow, node, record, polledAt, pollId }: LockedPoll,
  findNodeType: FindNodeType,
  parts: PollParts,
): Promise<PollRecord> => {
  const { logger } = parts;
  const [workflowId, triggerNodeId] = [workflow.definition.id, node.id];
  const due = { executionId: pollId, position: record.position ?? null };
  const polled = await pollSource(workflow, node, due, findNodeType, parts);
  if ('failure' in polled) {
    const { name, message } = polled.failure;
    logger.warn('The poll failed.', { workflowId, triggerNodeId, executionId: pollId, failure: message });
    const failure = { name, message, executionId: pollId, since: failingSince(record, polledAt) };
    return { ...record, polledAt, found: 0, started: 0, failure };
  }
  const readVariables = async () => workflow.variables ?? {};
  const resolved = await resolveTrigger(node, workflowId, { findNodeType, readVariables });
  // A release whose keys differ notes a position.
  const { formerKeys, ...current } = polled;
  const isOfEarlierRelease = record.since !== null && due.position === null;
  const { started, batch, isWhole } = await startNew(
    { workflow, node: resolved, polledAt, batch: record.batch, isFirst: record.since === null },
    isOfEarlierRelease && formerKeys !== undefined ? { ...current, formerKeys } : current,
    findNodeType,
    parts,
  );
  const found = polled.items.length;
  logger.info('The poll ended.', { workflowId, triggerNodeId, found, started });
  const since = record.since ?? polledAt;
  const position = isWhole ? polled.position : due.position;
  return { since, polledAt, found, started, failure: null, batch, position, running: null };
};

interface Starting {
  readonly workflow: Workflow;
  /** The trigger, with its expressions resolved. */
  readonly node: WorkflowNode;
  readonly polledAt: string;
  readonly batch: number;
  readonly isFirst: boolean;
}

/**
 * Starts the workflow for new items.
 *
 * @returns how many executions it has started, the number of the next batch, and whether it has started all
 */
const startNew = async (
  { workflow, node, polledAt, batch, isFirst }: Starting,
  { items, keys, formerKeys }: Polled,
  findNodeType: FindNodeType,
  parts: PollParts,
): Promise<{ readonly started: number; readonly batch: number; readonly isWhole: boolean }> => {
  const { id: workflowId, settings } = workflow.definition;
  const { ttlSeconds, perBatch, firstPoll } = node.parameters;
  const ttl = typeof ttlSeconds === 'number' ? ttlSeconds : DEFAULT_TTL_SECONDS;
  const seen = openSeenKeys(
    { store: parts.state, clock: parts.clock },
    { scope: scopeOfWorkflow(workflowId), prefix: `${node.id}/`, ttlSeconds: ttl },
  );
  const mode = resolveExecution(workflow.definition, findNodeType);
  let started = 0;

  /** @returns the execution if it is there already; null if it was started */
  const start = async (
    executionId: string,
    input: JsonObject,
    refusal: string | null,
  ): Promise<ExecutionRecord | null> => {
    const known = await acceptExecution(
      {
        ...{ executionId, workflow, trigger: { nodeId: node.id, type: node.type }, traceparent: null },
        ...(refusal === null ? { input } : { input: {}, refusal }),
        keepsResult: false,
      },
      { mode, startedAt: parts.clock.now(), isRepeatable: true },
      parts,
    );
    if (known !== null) return known;
    started += 1;
    const fields = { workflowId, triggerNodeId: node.id, executionId };
    parts.logger.info('An item was accepted.', { ...fields, ...measure(countStart(settings?.metrics)) });
    return null;
  };

  /** Whether the key with which an execution was started has been forgotten since, so that it is not the same item. */
  const isForgotten = ({ startedAt }: ExecutionRecord): boolean =>
    startedAt + ttl * 1_000 <= parts.clock.now();

  const batchId = (number: number) => executionIdOfPoll([workflowId, node.id, 'batch', number]);

  /** Marks the keys of a batch that a poll has started and not marked. @returns false if there is none */
  const completeBatch = async (): Promise<boolean> => {
    const executionId = batchId(batch);
    const started = await readBatchKeys(executionId, parts);
    if (started === null) return false;
    await seen.mark(await seen.findNew(started), executionId);
    return true;
  };
  const isCompleted = await completeBatch();
  const next = isCompleted ? batch + 1 : batch;

  let fresh = await seen.findNew(keys);
  if (formerKeys !== undefined) {
    const unseen = new Set((await seen.findNew(formerKeys)).map(({ key }) => key));
    const formerOf = new Map(keys.map((key, index) => [key, formerKeys[index] ?? key]));
    const isSeen = ({ key }: NewKey) => !unseen.has(formerOf.get(key) ?? key);
    await seen.mark(fresh.filter(isSeen), executionIdOfPoll([workflowId, node.id, 'first']));
    fresh = fresh.filter((one) => !isSeen(one));
  }
  if (isFirst && firstPoll !== 'all' && !isCompleted) {
    await seen.mark(fresh, executionIdOfPoll([workflowId, node.id, 'first']));
    return { started, batch: next, isWhole: true };
  }
  const itemOf = new Map(keys.map((key, index) => [key, items[index] ?? null] as const).reverse()); // the first counts
  const inputOf = ({ key }: NewKey): JsonObject => ({ item: itemOf.get(key) ?? null, key, polledAt });
  const startOne = async (one: NewKey): Promise<void> => {
    const { key, found } = one;
    const input = inputOf(one);
    const place = [workflowId, node.id, 'item', key, found?.version ?? 0];
    const executionId = executionIdOfPoll(place);
    const problem = findInputProblem(input, parts.maxInputDepth);
    const refusal = problem === null ? null : `The item "${key.slice(0, 200)}" can't be run: ${problem}.`;
    const known = await start(executionId, input, refusal);
    if (known === null || !isForgotten(known)) return seen.mark([one], executionId);
    // DynamoDB has removed the key, and the item has come back. A poll may be repeated in the next period.
    const period = Math.floor(parts.clock.now() / (ttl * 1_000));
    const [before, current] = [period - 1, period].map((at) => executionIdOfPoll([...place, 'again', at]));
    if (before === undefined || current === undefined) return;
    const repeated = await parts.executions.find(before);
    if (repeated === null || isForgotten(repeated)) await start(current, input, refusal);
    await seen.mark([one], current);
  };
  const toBatch = (some: readonly NewKey[]): JsonObject => ({
    items: some.map((one) => itemOf.get(one.key) ?? null),
    keys: some.map(({ key }) => key),
    polledAt,
  });
  const canRun = (some: readonly NewKey[]) => findInputProblem(toBatch(some), parts.maxInputDepth) === null;
  // What can't be run fails by itself, and keeps no batch from running.
  const alone = perBatch === true ? fresh.filter((one) => !canRun([one])) : fresh;
  await workThrough(alone, { atOnce: STARTS_AT_ONCE, mayGoOn: () => true }, startOne);
  let together = perBatch === true ? fresh.filter((one) => !alone.includes(one)) : [];
  // The next poll takes the rest of what is too much for one execution.
  const wanted = together.length;
  while (!canRun(together)) together = together.slice(0, Math.ceil(together.length / 2));
  const isWhole = together.length === wanted;
  if (together.length === 0) return { started, batch: next, isWhole };
  if ((await start(batchId(next), toBatch(together), null)) !== null)
    return { started, batch: next, isWhole: false };
  await seen.mark(together, batchId(next));
  return { started, batch: next + 1, isWhole };
};

/** The keys of a batch's execution, as it was accepted; null if there is none. */
const readBatchKeys = async (
  executionId: string,
  { executions, blobs }: PollParts,
): Promise<readonly string[] | null> => {
  const packed = (await executions.findData(executionId))?.input ?? null;
  if (packed === null || readRefusal(packed) !== null) return null;
  const { keys } = JSON.parse(await unpackText(packed, blobs)) as { readonly keys: readonly string[] };
  return keys;
};

interface Locked {
  readonly value: PollRecord;
  /** Writes the result of the poll, which lets others run. */
  readonly release: (value: PollRecord) => Promise<void>;
}

/** Locks the polls of a trigger; an invocation that is repeated locks them again. @returns null if another one runs */
const lockPoll = async (
  {
    workflowId,
    triggerNodeId: key,
    requestId,
  }: { readonly workflowId: string; readonly triggerNodeId: string; readonly requestId: string },
  { state, clock, logger }: PollParts,
): Promise<Locked | null> => {
  const scope = scopeOfWorkflow(workflowId);
  const write = (found: StateEntry | null, value: PollRecord) =>
    writeEntry(state, found, {
      ...{ scope, key, expiresAt: null, writtenAt: clock.now(), effect: null },
      writtenBy: { executionId: null, caller: null },
      content: { kind: 'value', value: value as unknown as JsonValue },
    });
  const found = await state.find(scope, key);
  const now = clock.now();
  const known = readPollRecord(found, now);
  const before = known?.running ?? null;
  if (before !== null && before.requestId !== requestId && before.until > now) return null;
  // A poll that died is noted here: if all do, the lock of one always hides that the one before did not end.
  const noted =
    known === null || before === null ? known : { ...known, failure: toInterrupted(known, before.until) };
  const value = noted ?? {
    ...{ since: null, polledAt: new Date(now).toISOString(), found: 0, started: 0, failure: null },
    batch: found?.version ?? 0, // after a deletion, no earlier number is used again
    running: null,
  };
  const locked = await write(found, { ...value, running: { requestId, until: now + POLL_LOCK_MS } });
  if (locked === null) return null;
  return {
    value,
    release: async (result) => {
      if ((await write(locked, { ...result, running: null })) !== null) return;
      logger.warn('The result of a poll was not noted: its entry of state was changed.', { workflowId, key });
    },
  };
};
