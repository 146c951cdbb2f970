import type { JsonObject } from '@hookloom/plugin-kit';
import { type AppError, isAppError } from '../../shared/errors.ts';
import { workThrough } from '../../shared/work-through.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';
import type { ConcurrencyRule } from '../../workflows/definition/path-config.ts';
import type { PublishedWorkflow } from '../../workflows/definition/workflow-store.ts';
import { type HeldQueue, MAX_HELD_DAYS, type NudgeQueue } from '../held-queues.ts';
import { dispatchOrMarkDue } from '../lifecycle/accept-execution.ts';
import { finishEarly } from '../lifecycle/finish-execution.ts';
import type { ReleasePorts } from '../ports.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';

const MAX_HELD_MS = MAX_HELD_DAYS * 86_400_000;

/**
 * How long after its last use a queue is closed. By then the index shows all that it holds, because a request is stored
 * within seconds of entering.
 */
const UNUSED_MS = 10 * 60_000;

/** How many are released at once if no limit decides which one is next: they run concurrently anyway. */
const RELEASED_AT_ONCE = 25;

/** The time limit of the sweeper plus a margin, after which a queue that a killed sweeper had reserved is free. */
const ATTENDED_MS = 5 * 60_000;

/** The version of the workflow that is live now, with which held executions run. */
interface Gate {
  readonly workflowVersion: number;
  readonly modeOf: (record: ExecutionRecord) => BackgroundMode;
  /** Concurrent executions of the workflow; null for no limit. */
  readonly max: number | null;
  /** The values of the variables that it reads now; absent if it reads none. */
  readonly variables?: JsonObject | undefined;
}

/**
 * Dispatches a trigger's held executions in the order in which they entered, if they may start. If several processes do
 * so at once, each execution is dispatched by one of them. A long queue without a limit is left to one process at a
 * time: together they would be faster than Lambda.
 * @param hasTime - whether to continue with another one
 * @param ended - see {@link NudgeQueue}
 * @returns how many were dispatched, and whether some wait because nothing of the trigger may start
 * @throws AppError `STORE_UNAVAILABLE` | `DISPATCH_REFUSED`; the next sweep continues. An execution that Lambda refused
 * has left the queue and is due for a sweep
 */
const releaseHeld = async (
  queue: HeldQueue,
  ports: ReleasePorts,
  hasTime: () => boolean,
  ended: string | undefined,
): Promise<{ readonly released: number; readonly isClosed: boolean }> => {
  const { queues, executions, clock } = ports;
  const gate = openGate(await ports.workflows.find(queue.workflowId), queue);
  const isUnlimited = gate?.max === null;
  let seen = 0;
  let isAttended = false;
  let isEmpty = true;
  let isOpen = true;
  let released = 0;
  let refusal: AppError | null = null;
  const work = async (executionId: string): Promise<void> => {
    isEmpty = false;
    if (++seen === RELEASED_AT_ONCE && isUnlimited) {
      const now = clock.now();
      isAttended = await queues.attend(queue, now, now + ATTENDED_MS);
      isOpen &&= isAttended;
      if (!isOpen) return;
    }
    const record = await executions.find(executionId);
    if (record === null || record.held === null) return; // the index shows it for a moment longer
    if (clock.now() - record.startedAt > MAX_HELD_MS) await giveUp(record, ports);
    else if (gate === null || !(await mayBegin(record, gate, ports, ended))) isOpen = false;
    else {
      try {
        if (await releaseExecution(record, gate, ports)) released++;
        if (ended !== undefined && !isUnlimited) isOpen = false; // its place is taken
        ports.paces?.[gate.modeOf(record)].accepted();
      } catch (error) {
        if (!isAppError(error, 'DISPATCH_REFUSED')) throw error;
        ports.paces?.[gate.modeOf(record)].refused();
        refusal ??= error;
      }
    }
  };
  const atOnce = isUnlimited ? RELEASED_AT_ONCE : 1;
  const options = { atOnce, mayGoOn: () => isOpen && hasTime() };
  const isRead = await workThrough(queues.find(queue), options, work).finally(() =>
    isAttended ? queues.leave(queue) : null,
  );
  if (isRead && isEmpty) await queues.close(queue, clock.now() - UNUSED_MS);
  if (refusal !== null) throw refusal;
  return { released, isClosed: gate === null && !isEmpty };
};

/**
 * Opens the gate of a trigger; null while nothing of it may start: it is paused, it or its workflow is disabled or was
 * removed, or the workflow has reached its limit of cost.
 */
const openGate = (workflow: PublishedWorkflow | null, { triggerNodeId }: HeldQueue): Gate | null => {
  if (workflow === null || !workflow.definition.enabled || workflow.atLimit !== undefined) return null;
  const { version: workflowVersion, variables, definition } = workflow;
  const config = workflow.pathConfigs.find((candidate) => candidate.triggerNodeId === triggerNodeId);
  if (config === undefined) {
    const node = definition.nodes.find(({ id }) => id === triggerNodeId);
    if (node === undefined || node.disabled === true || node.type === WEBHOOK) return null;
    // The mode of another version is not known without its plugins; a durable run can do whatever it may need.
    const modeOf = (record: ExecutionRecord): BackgroundMode => {
      const isSame = record.workflowVersion === workflowVersion && record.mode !== 'inline';
      return isSame ? (record.mode as BackgroundMode) : (definition.settings?.execution ?? 'durable');
    };
    return { workflowVersion, modeOf, max: null, variables };
  }
  if (config.features?.paused !== undefined) return null;
  const rule = config.features?.concurrency as unknown as ConcurrencyRule | undefined;
  return { workflowVersion, modeOf: () => config.execution, max: rule?.max ?? null, variables };
};

const WEBHOOK = 'webhookTrigger';

const mayBegin = async (
  record: ExecutionRecord,
  { max, modeOf }: Gate,
  { takeSlot, paces }: ReleasePorts,
  ended: string | undefined,
): Promise<boolean> =>
  (await paces?.[modeOf(record)].turn()) !== false &&
  (max === null || takeSlot({ workflowId: record.workflowId, executionId: record.executionId, max, ended }));

/** Releases an execution and dispatches it. If the process crashes between the two, the sweeper dispatches it. */
const releaseExecution = async (
  record: ExecutionRecord,
  { workflowVersion, modeOf, variables }: Gate,
  ports: ReleasePorts,
): Promise<boolean> => {
  const { executionId, mode: acceptedMode } = record;
  const mode = modeOf(record);
  const releasedAt = ports.clock.now();
  const release = { workflowVersion, mode, acceptedMode, variables, releasedAt };
  const isOurs = await ports.queues.release(executionId, release);
  if (isOurs) await dispatchOrMarkDue({ ...record, releasedAt }, mode, ports);
  return isOurs;
};

const giveUp = async (record: ExecutionRecord, ports: ReleasePorts): Promise<void> => {
  const message = `it was held for ${MAX_HELD_DAYS} days (${record.held})`;
  await finishEarly(record, 'failed', { name: 'HeldTooLong', message }, ports);
};

/** How many queues are worked on concurrently. */
const CONCURRENCY = 5;

/** How long a queue that may release nothing is skipped; whatever allows it to release again nudges it. */
const CLOSED_MS = 5 * 60_000;

/** When closed queues were found by this process, in milliseconds since the epoch, by workflow and trigger. */
export type ClosedQueues = Map<string, number>;

/**
 * Releases whatever may start from all queues. A queue that fails does not stop the others. Never rejects.
 * @param closed - what earlier calls have found
 * @param hasTime - whether to continue with another execution
 */
export const releaseAllQueues = async (
  ports: ReleasePorts,
  closed: ClosedQueues,
  hasTime: () => boolean,
): Promise<void> => {
  const { queues, logger, clock } = ports;
  for (const [key, foundAt] of closed) if (clock.now() - foundAt >= CLOSED_MS) closed.delete(key);
  try {
    const options = { atOnce: CONCURRENCY, mayGoOn: hasTime };
    const isDone = await workThrough(queues.list(), options, async (queue) => {
      const key = `${queue.workflowId}/${queue.triggerNodeId}`;
      if (closed.has(key)) return;
      if (await releaseQueue(queue, ports, hasTime)) closed.set(key, clock.now());
    });
    if (!isDone) logger.warn('The sweep ran out of time; the next one releases further executions.');
  } catch (cause) {
    logger.error('The queues of held executions could not be read.', { cause });
  }
};

/** Releases what a queue holds. Never rejects: the next sweep continues. @returns whether the queue is closed */
export const releaseQueue = async (
  queue: HeldQueue,
  ports: ReleasePorts,
  hasTime: () => boolean,
  ended?: string,
): Promise<boolean> => {
  const { workflowId, triggerNodeId } = queue;
  try {
    const { released: count, isClosed } = await releaseHeld(queue, ports, hasTime, ended);
    if (count > 0) ports.logger.info('Held executions were released.', { workflowId, triggerNodeId, count });
    return isClosed;
  } catch (cause) {
    ports.logger.error('Held executions could not be released.', { workflowId, triggerNodeId, cause });
    return false;
  }
};
