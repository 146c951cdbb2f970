import type { ExecutionInfo, Question } from '@hookloom/plugin-kit';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { BackgroundMode } from '../../workflows/definition/definition.ts';

/** The origin of a retry. */
interface RetryOf {
  readonly executionId: string;
  /** The first node that runs again; null for all nodes. */
  readonly fromNodeId: string | null;
}

/** The part of an execution that never changes. */
export interface ExecutionIdentity {
  /** `A-Z a-z 0-9 - _`, at most 64 characters. */
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** The trigger that fired. */
  readonly trigger: ExecutionInfo['trigger'];
  readonly mode: ExecutionMode;
  /** Milliseconds since the epoch; of the gateway for a request. */
  readonly startedAt: number;
  readonly retryOf: RetryOf | null;
  /** W3C Trace Context of the request; null for none. */
  readonly traceparent: string | null;
  /** Its workflow asks for metrics of its own. Absent: no. */
  readonly hasMetrics?: true;
}

/**
 * The part of an execution that its runs and retries read, and nothing shows: stored apart from the record, since every
 * change of a record is billed by its size.
 */
export interface ExecutionData {
  /** Input of the trigger, packed (`packText`); null for an inline run, until it fails. */
  readonly input: string | null;
  /** Signs its callback URLs; null for an inline run. Secret. */
  readonly callbackKey: string | null;
  /** Checkpoints of the execution that this one retries, packed; null for none. They never change, so that replays agree. */
  readonly retriedCheckpoints: string | null;
  /** Its checkpoint journal, packed, for a retry from a node; null for none. */
  readonly checkpoints: string | null;
}

/**
 * Why an accepted execution waits to be dispatched: its webhook is paused, or as many executions of the workflow go on as
 * may at once.
 */
export type HoldReason = 'paused' | 'concurrency';

/** That an execution is held: stored, but not dispatched. */
export interface Hold {
  readonly reason: HoldReason;
  /** See {@link ExecutionStart}. */
  readonly place?: number | undefined;
}

export interface ExecutionStart extends ExecutionIdentity, Omit<ExecutionData, 'checkpoints'> {
  /** `running` when it runs in this process. */
  readonly status: 'accepted' | 'running';
  /** It is in the queue of its trigger (`HeldQueues`), which alone dispatches it. Null for an execution that is not held. */
  readonly held: HoldReason | null;
  /** Its place in that queue, if it has been entered (`HeldQueues.enter`); else its start enters it. */
  readonly place?: number | undefined;
  /** Unique to this start: identifies our own write when its reply was lost. */
  readonly startToken: string;
  /** The gateway's id of the request that has started it; null or absent for none. */
  readonly requestId?: string | null;
  /** Keep the output, for repeated deliveries. */
  readonly keepsResult: boolean;
  /** Its workflow may start more than a thousand executions a second: lists of them read several partitions. Absent: no. */
  readonly isHighVolume?: true;
}

/** The lease that a process acquires to start or resume an execution. */
export interface ExecutionLease {
  /** See {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly leaseExpiresAt: number;
  readonly journalSize: number;
  readonly crashes: number;
  /** This one included. */
  readonly invocations: number;
}

export interface ExecutionProgress {
  readonly status: 'running' | 'waiting';
  /** With the data of the nodes if the workflow says so. Absent: unchanged. */
  readonly nodes?: readonly NodeRecord[];
  /** See {@link ExecutionRecord}. Absent: unchanged. */
  readonly crashes?: number;
  /** See {@link ExecutionData}. Absent: unchanged. */
  readonly checkpoints?: string;
  /** The same, under keys of its own: of a retry, which begins with those of its original. Absent: unchanged. */
  readonly input?: string;
  readonly retriedCheckpoints?: string;
  /** See {@link ExecutionEnd}: the answer of a run that continues after it. Absent: unchanged. */
  readonly result?: string;
  /** Milliseconds since the epoch. */
  readonly leaseExpiresAt: number;
}

export interface ExecutionEnd {
  readonly status: FinalStatus;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly nodes: readonly NodeRecord[];
  /** Entries that were left out of `nodes` before; 0 when absent. */
  readonly nodesOmitted?: number;
  readonly failure: NodeFailure | null;
  /** Input of an inline run that failed, packed, for a retry; of another one when its place changes. Absent: unchanged. */
  readonly input?: string;
  /** `{output, response}`, packed, when the execution keeps its result. */
  readonly result?: string;
  /** See {@link ExecutionData}. Absent or null: unchanged; null when the run has said all that a retry will get. */
  readonly checkpoints?: string | null;
  /** The completion event is not published yet: the sweeper publishes it unless `markPublished` is called. */
  readonly isInOutbox: boolean;
  /** It may be in the queue of its trigger, which it leaves. */
  readonly leavesQueue?: boolean;
}

/** A pending callback: an item of its own, since an execution can have thousands. */
export interface PendingCallback {
  /** Its id in the engine of background runs. */
  readonly callbackId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** What it is about. Absent in those of earlier versions, which no list has. */
  readonly subject?: CallbackSubject;
  /** The answer that was taken; absent while it is pending. */
  readonly answered?: AnsweredCallback;
}

export interface CallbackSubject {
  readonly executionId: string;
  readonly workflowId: string;
  /** See `CallbackUrls.open`. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  /** Origin of its URL. */
  readonly publicUrl: string;
  readonly question: Question;
}

export interface AnsweredCallback {
  readonly decision: 'approve' | 'reject';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Executions that wait are swept apart, since they may be many and are seldom lost. */
export type DueGroup = 'active' | 'waiting';

export interface ExecutionRecord extends Omit<ExecutionStart, 'status' | keyof ExecutionData> {
  readonly status: ExecutionStatus;
  readonly endedAt: number | null;
  /** Bounded: of a very long list the first and the failed entries are kept; data is left out before entries. */
  readonly nodes: readonly NodeRecord[];
  /** Entries left out of `nodes`. */
  readonly nodesOmitted: number;
  readonly failure: NodeFailure | null;
  /**
   * The ARN of the durable execution, or `request:` and the id of the asynchronous invocation, which Lambda's retries
   * share. Null before its start, and for inline runs.
   */
  readonly leaseOwner: string | null;
  /** How often a process started or resumed it. */
  readonly invocations: number;
  /** Checkpoints at the start of the last process: more of them later are progress. */
  readonly journalSize: number;
  /** Consecutive crashes without a new checkpoint between them. */
  readonly crashes: number;
  /** When it left the queue of its trigger, milliseconds since the epoch; null for an execution that was never held. */
  readonly releasedAt: number | null;
  /** How often it was dispatched again before its start; what Lambda has refused is not counted. */
  readonly redispatches: number;
  /** See {@link ExecutionEnd}. */
  readonly result: string | null;
  readonly isInOutbox: boolean;
  /** The store was too busy to put its end into the lists of ends, which the sweeper does. Absent: no. */
  readonly isUnlisted?: true;
  /** From when the sweeper reconciles it, milliseconds since the epoch; null for never. */
  readonly leaseExpiresAt: number | null;
}

export interface ExecutionSummary
  extends Pick<
    ExecutionRecord,
    'executionId' | 'workflowId' | 'workflowVersion' | 'status' | 'startedAt' | 'endedAt' | 'mode' | 'held'
  > {}

/** A place in a list, in the words of the store: what a cursor says. */
export interface ListPosition {
  /** The part of the list that it is in; one list may be stored as several. */
  readonly part: string;
  /** By what the list is sorted. */
  readonly at: string;
  readonly executionId: string;
}

export interface ExecutionQuery {
  /** Null for all workflows. */
  readonly workflowId: string | null;
  /** Any of these; absent for all. */
  readonly statuses?: readonly ExecutionStatus[];
  /** See {@link ExecutionStart}. */
  readonly requestId?: string;
  /** Milliseconds since the epoch, both included. */
  readonly from?: number;
  readonly to?: number;
  /** At most this many; 1 to 100. */
  readonly limit: number;
  /** The `next` of the page before, with the same filters. */
  readonly after?: ListPosition;
}

export interface ExecutionPage {
  /**
   * The latest first. Those that started at the same time are in an order that only the store knows, and keeps. With
   * nothing but open statuses and all workflows: background executions alone, by their next sweep, which is about the order of their starts.
   */
  readonly executions: readonly ExecutionSummary[];
  /** How far the store has read, where it may find more; null at the end. */
  readonly next: ListPosition | null;
}

/**
 * All methods throw AppError `STORE_UNAVAILABLE` when the store can't be reached. Every change of a status is conditional
 * on an open one before it.
 */
export interface ExecutionStore {
  /**
   * Records the start on the condition that there is none, so that an execution starts once.
   *
   * @returns false when it was started before, with another start token
   */
  start(start: ExecutionStart): Promise<boolean>;
  /**
   * Records start and end in one write, on the same condition.
   *
   * @returns see `start`
   */
  startAndFinish(start: ExecutionStart, end: ExecutionEnd): Promise<boolean>;
  /**
   * Deletes an accepted execution that has not started.
   *
   * @returns false, with nothing changed, when it has started, or has another start token
   */
  withdraw(executionId: string, startToken: string): Promise<boolean>;
  /**
   * Starts or resumes it: `running`. On the condition that it is accepted, or open and leased
   * by this owner, so that one owner runs it however often it was dispatched.
   *
   * @returns the updated record; null when the condition does not hold
   */
  acquireLease(executionId: string, lease: ExecutionLease): Promise<ExecutionRecord | null>;
  /**
   * Notes that an accepted execution is dispatched again.
   *
   * @returns false, with nothing changed, when it has started, has ended, or is unknown
   */
  redispatch(
    executionId: string,
    dispatch: Pick<ExecutionRecord, 'redispatches'> & Pick<ExecutionLease, 'leaseExpiresAt'>,
  ): Promise<boolean>;
  /** @returns false, with nothing changed, when the execution has ended or is unknown */
  saveProgress(executionId: string, progress: ExecutionProgress): Promise<boolean>;
  /**
   * Idempotent. A callback that is asked again takes the place of the one before, unless that was answered or opened
   * later.
   *
   * @param name - see `CallbackUrls.open`
   */
  openCallback(executionId: string, name: string, callback: PendingCallback): Promise<void>;
  /** @returns null when it was never opened, or has expired */
  findCallback(executionId: string, name: string): Promise<PendingCallback | null>;
  /**
   * Ends an execution, and takes the callbacks that its nodes wait for (`NodeRecord.callbacks`) out of the lists.
   * A store whose lists are busy keeps the end without them (`isUnlisted`), so that a run that has ended is not made again.
   *
   * @returns false, with nothing changed, when the execution has ended or is unknown
   */
  finish(executionId: string, end: ExecutionEnd): Promise<boolean>;
  /** Puts an end that is not in the lists of ends there. */
  listEnd(record: Pick<ExecutionRecord, 'executionId' | 'status' | 'isInOutbox'>): Promise<void>;
  /** Takes it out of the outbox. */
  markPublished(executionId: string): Promise<void>;
  find(executionId: string): Promise<ExecutionRecord | null>;
  /** @returns null for an execution without any, such as an inline run that succeeded */
  findData(executionId: string): Promise<ExecutionData | null>;
  /** Reads at most 1,000 records, so that a page may have fewer than asked for, although more follow. */
  list(query: ExecutionQuery): Promise<ExecutionPage>;
  /**
   * Finds background executions that are open and not held, or in the outbox, and whose sweep is due: first a quarter of
   * an hour after their start, later at what `extendLease` says. Their lease may have been renewed since. Reads pages on demand, the longest
   * overdue of each page first.
   *
   * @returns their ids
   */
  findDue(now: number, group: DueGroup): AsyncIterable<string>;
  /**
   * Moves the lease and, with it, the next sweep, which a run that renews its lease leaves alone. Changes nothing when the status is
   * another one by now: what begins or ends meanwhile has set its own.
   */
  extendLease(record: Pick<ExecutionRecord, 'executionId' | 'status'>, leaseExpiresAt: number): Promise<void>;
}

/**
 * From when the time limits of a background run count, in milliseconds since the epoch: from its request, or from its release
 * if it was held.
 */
export const beganAt = ({
  startedAt,
  releasedAt,
}: Pick<ExecutionRecord, 'startedAt' | 'releasedAt'>): number => releasedAt ?? startedAt;

/** An execution as its nodes and its expressions see it. */
export const toExecutionInfo = (execution: Omit<ExecutionIdentity, 'mode' | 'retryOf'>): ExecutionInfo => {
  const { executionId, workflowId, workflowVersion, trigger, startedAt, traceparent } = execution;
  return {
    ...{ executionId, workflowId, workflowVersion, trigger, startedAt: new Date(startedAt).toISOString() },
    ...(traceparent === null ? {} : { traceparent }),
  };
};

/** An execution that has ended, as its completion event describes it. */
export type EndedExecution = ExecutionIdentity & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure'>;

/** Publishes completion events. */
export interface ExecutionEvents {
  /**
   * Publishes one CloudEvent. Published again, an event has the same `source` and `id`: receivers drop the second.
   *
   * @throws AppError `EVENT_NOT_PUBLISHED`
   */
  publish(ended: EndedExecution): Promise<void>;
}

/**
 * `accepted`: stored, not started. `waiting`: suspended until a time, an answer or the next attempt. The last four are
 * final.
 */
export const EXECUTION_STATUSES = [
  'accepted',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'timedOut',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
type OpenStatus = 'accepted' | 'running' | 'waiting';
export type FinalStatus = Exclude<ExecutionStatus, OpenStatus>;

export const isFinal = (status: ExecutionStatus): status is FinalStatus =>
  status !== 'accepted' && status !== 'running' && status !== 'waiting';

/** What operators look for: the store finds these apart from the others. */
export const hasEndedBadly = (status: ExecutionStatus): boolean => isFinal(status) && status !== 'succeeded';

/** `inline` executions run within the request; their caller waits. */
export type ExecutionMode = 'inline' | BackgroundMode;
