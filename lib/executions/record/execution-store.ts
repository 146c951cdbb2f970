import type { ExecutionInfo, JsonObject, Question } from '@hookloom/plugin-kit';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { Change } from '../../shared/compare-values.ts';
import type { BackgroundMode, CurrentWorkflow, Workflow } from '../../workflows/definition/definition.ts';

interface RetryOf {
  readonly executionId: string;
  /** The first node that runs again; null for all nodes. */
  readonly fromNodeId: string | null;
  /** What runs again, with what follows from it: see {@link RetryOptions}. Absent for all. */
  readonly only?: 'failedItems';
  /** The bulk retry that started it; absent for a single one. */
  readonly bulkRetryId?: string;
  /** The execution whose idempotency keys it uses, since it repeats what failed. Absent: its own. */
  readonly keysOf?: string;
  /** When that one started, in milliseconds since the epoch: the time that nodes see. Absent: its own start. */
  readonly timeOf?: number;
}

/** How an execution is retried. */
export interface RetryOptions {
  /** The first node to run again; null for all nodes. */
  readonly from: string | null;
  /** `failedItems`: only the items of a body that failed run again; null or absent for all nodes. */
  readonly only?: 'failedItems' | null;
  readonly version: 'recorded' | 'current';
}

/** How an operator has edited the input of an execution that repeats another one, for its record. */
export interface EditedInput {
  /** ARN of the caller that has edited it; null without IAM, on this machine. */
  readonly by: string | null;
  /** The changes by JSON pointer, redacted as everything in a record. */
  readonly changes: readonly Change[];
  /** How many further values differ; absent for none. */
  readonly changesOmitted?: number;
}

/** The part of an execution that never changes. */
export interface ExecutionIdentity {
  /** Id of the execution: at most 64 characters of `A-Z a-z 0-9 - _`. */
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly trigger: ExecutionInfo['trigger'];
  readonly mode: ExecutionMode;
  /** When the execution started, in milliseconds since the epoch; for a request, the time of the gateway. */
  readonly startedAt: number;
  readonly retryOf: RetryOf | null;
  /** W3C Trace Context of the request; null for none. */
  readonly traceparent: string | null;
  /** Whether the execution's workflow has metrics of its own; absent if not. */
  readonly hasMetrics?: true;
  /** What the workflow's executions may cost in a month, in dollars, when this one started; absent for no limit. */
  readonly maxCost?: number;
}

/**
 * The part of an execution that only its runs and retries read. It is stored separately, since every change to a record
 * is billed by the record's size.
 */
export interface ExecutionData {
  /** Input of the trigger, packed (`packText`); null for an inline run, until it fails. */
  readonly input: string | null;
  /** Key that signs the execution's callback URLs; null for an inline run. Secret. */
  readonly callbackKey: string | null;
  /** Checkpoints of the execution that this one retries, packed; null for none. They never change, so that replays agree. */
  readonly retriedCheckpoints: string | null;
  /** The execution's checkpoint journal, packed, for a retry from a node; null if there is none. */
  readonly checkpoints: string | null;
  /** Values of the stage's variables at the start, for all runs and replays; absent if the workflow reads none. */
  readonly variables?: JsonObject | undefined;
}

/**
 * Why an accepted execution is not dispatched yet: its webhook is paused, or the workflow has reached its number of
 * concurrent executions.
 */
type HoldReason = 'paused' | 'concurrency';

/** A held execution: stored, but not dispatched. */
export interface Hold {
  readonly reason: HoldReason;
  /** Place in the queue of the trigger: see {@link ExecutionStart}. */
  readonly place?: number | undefined;
}

export interface ExecutionStart extends ExecutionIdentity, Omit<ExecutionData, 'checkpoints'> {
  /** Status of the new execution; `running` when it runs in this process. */
  readonly status: 'accepted' | 'running';
  /**
   * Why the execution is held. If set, it is in the queue of its trigger (`HeldQueues`), and only from there is it
   * dispatched. Null if it is not held.
   */
  readonly held: HoldReason | null;
  /**
   * The execution's place in that queue, if it has already entered it (`HeldQueues.enter`); otherwise its start enters
   * it.
   */
  readonly place?: number | undefined;
  /** Unique to this start, so that we recognise our own write if the reply to it was lost. */
  readonly startToken: string;
  /** The gateway's id of the request that started it; null or absent if there is none. */
  readonly requestId?: string | null;
  /** What an operator has changed in the input of the execution or request that it repeats; absent for nothing. */
  readonly editedInput?: EditedInput | undefined;
  /** Whether the output is kept for repeated deliveries. */
  readonly keepsResult: boolean;
  /**
   * Whether the execution's workflow may start more than a thousand executions a second, in which case lists read
   * several partitions; absent if not.
   */
  readonly isHighVolume?: true;
}

/** The lease that a process acquires to start or resume an execution. */
interface ExecutionLease {
  /** The owner of the lease: see {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly leaseExpiresAt: number;
  readonly journalSize: number;
  readonly crashes: number;
  /** How often the execution was invoked, including this time. */
  readonly invocations: number;
}

export interface ExecutionProgress {
  readonly status: 'running' | 'waiting';
  /** Includes the nodes' data if the workflow says so. Absent: unchanged. */
  readonly nodes?: readonly NodeRecord[];
  /** How often the execution has crashed: see {@link ExecutionRecord}. If absent, the number is unchanged. */
  readonly crashes?: number;
  /** The checkpoint journal: see {@link ExecutionData}. If absent, it is unchanged. */
  readonly checkpoints?: string;
  /** The input under the retry's own key, since a retry starts with the blobs of its original. Absent: unchanged. */
  readonly input?: string;
  readonly retriedCheckpoints?: string;
  /** The answer of a run that continues after it: see {@link ExecutionEnd}. If absent, it is unchanged. */
  readonly result?: string;
  /** When the lease expires, in milliseconds since the epoch. */
  readonly leaseExpiresAt: number;
  /** How long processes have run it: see {@link ExecutionRecord}. Absent: unchanged. */
  readonly activeMs?: number;
}

export interface ExecutionEnd {
  readonly status: FinalStatus;
  /** When the execution ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly nodes: readonly NodeRecord[];
  /** Entries that were left out of `nodes` before; 0 if absent. */
  readonly nodesOmitted?: number;
  readonly failure: NodeFailure | null;
  /**
   * The input, packed: of a failed inline run, for a retry, or of any run if it is moved to another blob. Absent:
   * unchanged.
   */
  readonly input?: string;
  /** The variables of a failed inline run, for a retry. */
  readonly variables?: JsonObject | undefined;
  /** Result of the execution, `{output, response}`, packed, if it keeps its result. */
  readonly result?: string;
  /**
   * The checkpoint journal: see {@link ExecutionData}. If absent or null, it is unchanged; null means that a retry will
   * get nothing more from this run.
   */
  readonly checkpoints?: string | null;
  /** Whether the completion event is not published yet. The sweeper publishes it unless `markPublished` is called. */
  readonly isInOutbox: boolean;
  /** Whether the execution may be in the queue of its trigger, which it then leaves. */
  readonly leavesQueue?: boolean;
  /** How long processes have run it, and how many operations it took: see {@link ExecutionRecord}. Absent: unchanged. */
  readonly activeMs?: number;
  readonly journalSize?: number;
}

/** A pending callback. Stored as an item of its own, since an execution can have thousands. */
export interface PendingCallback {
  /** The callback's id in the engine of background runs. */
  readonly callbackId: string;
  /** When the callback expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** What the callback asks about. Absent if stored by an earlier version; such callbacks are in no list. */
  readonly subject?: CallbackSubject;
  /** The accepted answer; absent while the callback is pending. */
  readonly answered?: AnsweredCallback;
}

export interface CallbackSubject {
  readonly executionId: string;
  readonly workflowId: string;
  /** The name under which the callback was opened: see `CallbackUrls.open`. */
  readonly name: string;
  /** When the callback was opened, in milliseconds since the epoch. */
  readonly openedAt: number;
  /** Origin of the callback's URL. */
  readonly publicUrl: string;
  readonly question: Question;
}

export interface AnsweredCallback {
  readonly decision: 'approve' | 'reject';
  /** When the callback was answered, in milliseconds since the epoch. */
  readonly at: number;
}

/** Waiting executions are swept separately, since they may be many and are seldom lost. */
export type DueGroup = 'active' | 'waiting';

export interface ExecutionRecord extends Omit<ExecutionStart, 'status' | keyof ExecutionData> {
  readonly status: ExecutionStatus;
  readonly endedAt: number | null;
  /**
   * Limited in size: of a very long list, the first and the failed entries are kept, and data is dropped before
   * entries.
   */
  readonly nodes: readonly NodeRecord[];
  /** How many node runs are left out of `nodes`. */
  readonly nodesOmitted: number;
  readonly failure: NodeFailure | null;
  /**
   * The ARN of the durable execution, or `request:` and the id of the asynchronous invocation, which Lambda's retries
   * share. Null before the start, and for inline runs.
   */
  readonly leaseOwner: string | null;
  /** How many times a process has started or resumed it. */
  readonly invocations: number;
  /**
   * Number of checkpoints at the start of the last process. If there are more later, it has made progress. Once a durable
   * run has ended on its own, the number of its operations.
   */
  readonly journalSize: number;
  /** How many updates runs have made to the record before its end; absent for none, and 0 if it was written once, at its end. */
  readonly writes?: number;
  /** How long processes have run it, in milliseconds; absent if it was never suspended. */
  readonly activeMs?: number;
  /** Write units of the item with the input; 0 if the input is an object in the bucket. Absent for one. */
  readonly inputUnits?: number;
  /** Consecutive crashes with no new checkpoint in between. */
  readonly crashes: number;
  /** When the execution left the queue of its trigger, in milliseconds since the epoch; null if it was never held. */
  readonly releasedAt: number | null;
  /** The last execution that retries this one; absent if none does. */
  readonly retriedBy?: string;
  /** How often the execution was dispatched again before its start, not counting dispatches that Lambda refused. */
  readonly redispatches: number;
  /** Result of the execution: see {@link ExecutionEnd}. */
  readonly result: string | null;
  readonly isInOutbox: boolean;
  /** Whether the store was too busy to list its end, so that the sweeper has to; absent if not. */
  readonly isUnlisted?: true;
  /** When the sweeper starts to reconcile the execution, in milliseconds since the epoch; null for never. */
  readonly leaseExpiresAt: number | null;
}

export interface ExecutionSummary
  extends Pick<
    ExecutionRecord,
    'executionId' | 'workflowId' | 'workflowVersion' | 'status' | 'startedAt' | 'endedAt' | 'mode' | 'held'
  > {}

/**
 * Whether an execution is a trial of one node, of a definition that is not stored: listed apart, never counted,
 * published, reported or retried.
 */
export const isTrial = ({ workflowVersion }: Pick<ExecutionIdentity, 'workflowVersion'>): boolean =>
  workflowVersion === TRIAL_VERSION;

/** The version of a definition that is not stored. */
export const TRIAL_VERSION = 0;

/** A position in a list, in the store's own terms: the content of a cursor. */
export interface ListPosition {
  /** The part of the list that it is in, since one list may be stored in several parts. */
  readonly part: string;
  /** The value by which the list is sorted. */
  readonly at: string;
  readonly executionId: string;
}

export interface ExecutionQuery {
  /** The workflow whose executions are read; null for all workflows. */
  readonly workflowId: string | null;
  /** The statuses to include; absent for all. */
  readonly statuses?: readonly ExecutionStatus[];
  /** The request that started the execution: see {@link ExecutionStart}. */
  readonly requestId?: string;
  /** How they failed; absent for all, also those that did not. */
  readonly failure?: FailureFilter;
  /** The bulk retry that started them; absent for any start. */
  readonly bulkRetryId?: string;
  /** Whether to list only trials, or none; absent for both. */
  readonly isTrial?: boolean;
  /** Start of the period, in milliseconds since the epoch; `from` and `to` are included. */
  readonly from?: number;
  readonly to?: number;
  /** Maximum number of executions, 1 to 100. */
  readonly limit: number;
  /** The `next` of the previous page, with the same filters. */
  readonly after?: ListPosition;
}

/** Where and how executions failed. */
export interface FailureFilter {
  /** The node at which they failed; null for any. */
  readonly failureNode: string | null;
  /** The name of their failure, such as `HttpStatusError`; null for any. */
  readonly failureName: string | null;
}

export const hasFailedAs = (
  { failure }: Pick<ExecutionRecord, 'failure'>,
  { failureNode, failureName }: FailureFilter,
): boolean =>
  (failureNode === null || failure?.nodeId === failureNode) &&
  (failureName === null || failure?.name === failureName);

export interface ExecutionPage {
  /**
   * Latest first. Executions that started at the same time are in an order that is stable but chosen by the store. A
   * list of only open statuses and all workflows has only background executions, ordered by their next sweep, which is
   * roughly the order of their starts.
   */
  readonly executions: readonly ExecutionSummary[];
  /** Position at which the next page starts; null at the end of the list. */
  readonly next: ListPosition | null;
}

/**
 * All methods throw AppError `STORE_UNAVAILABLE` if the store can't be reached. A status changes only if the current
 * one is open.
 */
export interface ExecutionStore {
  /**
   * Records the start if there is none yet, so that an execution starts once.
   * @returns false if it was started before, with another start token
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
   * @returns false, with nothing changed, if it has started, or has another start token
   */
  withdraw(executionId: string, startToken: string): Promise<boolean>;
  /**
   * Starts or resumes it, which makes it `running`, if it is accepted, or open and leased by this owner, so that only
   * one owner runs it however often it was dispatched.
   * @returns the updated record; null if another owner or its end prevents this
   */
  acquireLease(executionId: string, lease: ExecutionLease): Promise<ExecutionRecord | null>;
  /**
   * Records that an accepted execution is dispatched again.
   * @returns false, with nothing changed, if it has started, has ended, or is unknown
   */
  redispatch(
    executionId: string,
    dispatch: Pick<ExecutionRecord, 'redispatches'> & Pick<ExecutionLease, 'leaseExpiresAt'>,
  ): Promise<boolean>;
  /** @returns false, with nothing changed, when the execution has ended or is unknown */
  saveProgress(executionId: string, progress: ExecutionProgress): Promise<boolean>;
  /**
   * Idempotent. A callback that is asked again replaces the previous one, unless that was answered or opened later.
   * @param name - see `CallbackUrls.open`
   */
  openCallback(executionId: string, name: string, callback: PendingCallback): Promise<void>;
  /** Finds a callback. @returns null if it was never opened, or has expired */
  findCallback(executionId: string, name: string): Promise<PendingCallback | null>;
  /**
   * Ends an execution, and removes the callbacks that its nodes wait for (`NodeRecord.callbacks`) from the lists. If
   * the lists are busy, the end is stored without being listed (`isUnlisted`), so that an ended run is not repeated.
   * @returns false, with nothing changed, when the execution has ended or is unknown
   */
  finish(executionId: string, end: ExecutionEnd): Promise<boolean>;
  /** Adds the end of an `isUnlisted` execution to the lists. */
  listEnd(record: Pick<ExecutionRecord, 'executionId' | 'status' | 'isInOutbox'>): Promise<void>;
  /** Removes an execution from the outbox. */
  markPublished(executionId: string): Promise<void>;
  /**
   * Records on an ended execution which one retries it.
   * @param replacing - the retry that is recorded now: null for none; absent for any
   * @returns false, with nothing changed, if another one is recorded, or the execution is unknown
   */
  markRetried(executionId: string, retriedBy: string, replacing?: string | null): Promise<boolean>;
  find(executionId: string): Promise<ExecutionRecord | null>;
  /** @returns null if the execution has no data, like a successful inline run */
  findData(executionId: string): Promise<ExecutionData | null>;
  /** Reads at most 1,000 records, so a page may have fewer than requested although more follow. */
  list(query: ExecutionQuery): Promise<ExecutionPage>;
  /**
   * Finds background executions that are due for a sweep, and that are either open and not held, or in the outbox. The
   * first sweep is due a quarter of an hour after the start, later ones when `extendLease` says. The lease may have
   * been renewed since. Reads pages on demand, the longest overdue of each page first.
   * @returns their ids
   */
  findDue(now: number, group: DueGroup): AsyncIterable<string>;
  /**
   * Moves the lease together with the next sweep; a run that renews its own lease does not move the sweep. Changes
   * nothing if the status has changed in the meantime, because then the lease was set anew.
   */
  extendLease(record: Pick<ExecutionRecord, 'executionId' | 'status'>, leaseExpiresAt: number): Promise<void>;
}

/**
 * The last execution of each of these workflows, by the workflow's id, without trials; none for a workflow that has none
 * on record.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export type FindLastExecutions = (
  workflows: readonly CurrentWorkflow[],
) => Promise<ReadonlyMap<string, ExecutionSummary>>;

/**
 * When the time limits of a background run start to count, in milliseconds since the epoch: at its request, or at its
 * release if it was held.
 */
export const beganAt = ({
  startedAt,
  releasedAt,
}: Pick<ExecutionRecord, 'startedAt' | 'releasedAt'>): number => releasedAt ?? startedAt;

/** The execution whose idempotency keys one uses. */
export const keyIdOf = ({
  executionId,
  retryOf,
}: Pick<ExecutionIdentity, 'executionId' | 'retryOf'>): string => retryOf?.keysOf ?? executionId;

/** An execution as its nodes and expressions see it. @param stage - of the workflow as it was read */
export const toExecutionInfo = (
  execution: Omit<ExecutionIdentity, 'mode' | 'retryOf'> & Partial<Pick<ExecutionIdentity, 'retryOf'>>,
  { stage = '' }: Pick<Workflow, 'stage'>,
): ExecutionInfo => {
  const { executionId, workflowId, workflowVersion, trigger, startedAt, traceparent, retryOf } = execution;
  return {
    executionId,
    workflowId,
    workflowVersion,
    trigger,
    startedAt: new Date(retryOf?.timeOf ?? startedAt).toISOString(),
    stage,
    ...(traceparent === null ? {} : { traceparent }),
  };
};

/** An execution that has ended, as its completion event describes it. */
export type EndedExecution = ExecutionIdentity & Pick<ExecutionEnd, 'status' | 'endedAt' | 'failure'>;

export interface ExecutionEvents {
  /**
   * Publishes one CloudEvent. If it is published again, it has the same `source` and `id`, so that receivers can drop
   * the duplicate.
   * @throws AppError `EVENT_NOT_PUBLISHED`
   */
  publish(ended: EndedExecution): Promise<void>;
}

/**
 * The statuses of an execution: `accepted` means stored but not started, `waiting` means suspended until a time, an
 * answer or the next attempt. The last four are final.
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

/** Whether operators look for executions with this status, which the store can list without reading others. */
export const hasEndedBadly = (status: ExecutionStatus): boolean => isFinal(status) && status !== 'succeeded';

/** How an execution runs: `inline` within the request, whose caller waits, or in the background. */
export type ExecutionMode = 'inline' | BackgroundMode;
