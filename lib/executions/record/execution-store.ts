import type { ExecutionInfo } from '../../contract/node.ts';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { ExecutionMode, ExecutionStatus, FinalStatus } from './execution-status.ts';

/** What an execution was made from that repeats another one. */
interface RetryOf {
  readonly executionId: string;
  /** The first node that runs again; null for all of them. */
  readonly fromNodeId: string | null;
}

/** What an execution is, from its start on: none of it ever changes. */
export interface ExecutionIdentity {
  /** `A-Z a-z 0-9 - _`, at most 64 characters. */
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  /** The trigger that fired. */
  readonly trigger: ExecutionInfo['trigger'];
  readonly mode: ExecutionMode;
  /** Milliseconds since the epoch, by the clock of the gateway where there is one. */
  readonly startedAt: number;
  readonly retryOf: RetryOf | null;
  /** W3C Trace Context, as the request named it; null when it did not. */
  readonly traceparent: string | null;
}

export interface ExecutionStart extends ExecutionIdentity {
  /** `running` when it runs in this very process, else `accepted`. */
  readonly status: 'accepted' | 'running';
  /** Drawn for this start alone: tells our own write, whose reply was lost, from somebody else's. */
  readonly startToken: string;
  /** What the trigger gets, packed (`packText`); null for an inline run, until it fails. */
  readonly input: string | null;
  /** Signs the addresses of its callbacks; null for an inline run. Never shown. */
  readonly callbackKey: string | null;
  /**
   * Checkpoints of the execution that this one retries, packed. They never change, so that every replay begins alike.
   * Null for none.
   */
  readonly retriedCheckpoints: string | null;
  /** Keep the output: a repeated delivery may ask for it. */
  readonly keepsResult: boolean;
}

/** The lease that a process takes when it begins or resumes an execution. */
export interface ExecutionLease {
  /** See {@link ExecutionRecord}. */
  readonly leaseOwner: string;
  readonly leaseExpiresAt: number;
  readonly journalSize: number;
  readonly crashes: number;
}

export interface ExecutionProgress {
  readonly status: 'running' | 'waiting';
  /** With the data of the nodes, or without, as the workflow says; absent: what was stored stays. */
  readonly nodes?: readonly NodeRecord[];
  /** See {@link ExecutionRecord}; absent: what was stored stays. */
  readonly crashes?: number;
  /** Steps that are done, packed, for a retry from a node; absent: what was stored stays. */
  readonly checkpoints?: string;
  /** When to look whether it is still alive, milliseconds since the epoch. */
  readonly leaseExpiresAt: number;
}

export interface ExecutionEnd {
  readonly status: FinalStatus;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly nodes: readonly NodeRecord[];
  /** How many entries had been left out of `nodes` before; 0 when absent. */
  readonly nodesOmitted?: number;
  readonly failure: NodeFailure | null;
  /** The request of an inline run that failed, packed, for a retry; absent: what was stored at its start stays. */
  readonly input?: string;
  /** `{output, response}`, packed, when the execution keeps its result. */
  readonly result?: string;
  readonly checkpoints?: string;
  /** The event of this end is still to be published: the sweeper sees to it unless `announced` is called. */
  readonly isInOutbox: boolean;
}

/** A pending callback: an item of its own, since an execution can have thousands. */
export interface PendingCallback {
  /** The id that the engine of background runs gave it. */
  readonly callbackId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Which due executions: those that wait may be many and are seldom lost, so that they are looked after apart. */
export type DueGroup = 'active' | 'waiting';

/** The stored account of one execution. */
export interface ExecutionRecord extends Omit<ExecutionStart, 'status'> {
  readonly status: ExecutionStatus;
  readonly endedAt: number | null;
  /** Of a very long list only the first entries and the failed ones are kept, and data before entries is left out. */
  readonly nodes: readonly NodeRecord[];
  /** How many entries of `nodes` were left out for their size. */
  readonly nodesOmitted: number;
  readonly failure: NodeFailure | null;
  /**
   * Who runs it: the ARN of the durable execution, or `request:` and the id of the asynchronous invocation, which is
   * the same when Lambda tries again. Null before it has begun, and for inline runs.
   */
  readonly leaseOwner: string | null;
  /** How often a process began or resumed it. */
  readonly invocations: number;
  /** How many checkpoints there were when the last process began: more of them later are progress. */
  readonly journalSize: number;
  /** How many processes in a row ended too early, each without a checkpoint more than the one before. */
  readonly crashes: number;
  /** How often it was dispatched again, because no process had begun it. */
  readonly redispatches: number;
  readonly result: string | null;
  /** Steps that are done, packed: what a retry from a node in the middle is given as its `seed`. Null for none. */
  readonly checkpoints: string | null;
  readonly isInOutbox: boolean;
  /** When to look at it, milliseconds since the epoch; null when nobody has to. */
  readonly leaseExpiresAt: number | null;
}

export interface ExecutionSummary
  extends Pick<
    ExecutionRecord,
    'executionId' | 'workflowId' | 'workflowVersion' | 'status' | 'startedAt' | 'endedAt' | 'mode'
  > {}

export interface ExecutionQuery {
  readonly workflowId: string;
  readonly status?: ExecutionStatus;
  /** Milliseconds since the epoch, both included. */
  readonly from?: number;
  readonly to?: number;
  /** At most this many; 1 to 100. */
  readonly limit: number;
  /** Where the page before ended: only what comes after it in the order of the list. */
  readonly after?: Pick<ExecutionSummary, 'executionId' | 'startedAt'>;
}

export interface ExecutionPage {
  /** The latest first; ties by id, descending. */
  readonly executions: readonly ExecutionSummary[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/**
 * All methods reject with {@link AppError} `STORE_UNAVAILABLE` when the store can't be had. Every change of a status
 * is conditional on an open one before it.
 */
export interface ExecutionStore {
  /** A conditional put, which is what makes a start happen once: false when somebody else has started this execution. */
  start(start: ExecutionStart): Promise<boolean>;
  /** Takes back a start that was not begun, leaving nothing: false when it was begun, ended, or is somebody else's. */
  withdraw(executionId: string, startToken: string): Promise<boolean>;
  /**
   * A process begins or resumes it: `running`, and one invocation more. On the condition that it is accepted, or open
   * and this owner's: however often it was dispatched, one owner runs it.
   * @returns the record as it is then; null when the condition does not hold
   */
  acquireLease(executionId: string, lease: ExecutionLease): Promise<ExecutionRecord | null>;
  /**
   * Counts another dispatch of an execution that no process has begun, and moves its `leaseExpiresAt`.
   * @returns how many there were beside the first; null when it has begun, ended, or is unknown
   */
  redispatch(executionId: string, leaseExpiresAt: number): Promise<number | null>;
  /** False, and nothing changed, when the execution has ended or is unknown. */
  saveProgress(executionId: string, progress: ExecutionProgress): Promise<boolean>;
  /** Opening a callback of the same name again changes nothing. @param name see `Steps.callback` */
  openCallback(executionId: string, name: string, callback: PendingCallback): Promise<void>;
  /** Null when it was never opened, or has expired. */
  findCallback(executionId: string, name: string): Promise<PendingCallback | null>;
  /** False, and nothing changed, when the execution has ended already or is unknown. */
  finish(executionId: string, end: ExecutionEnd): Promise<boolean>;
  /** The event of its end was published. */
  markPublished(executionId: string): Promise<void>;
  find(executionId: string): Promise<ExecutionRecord | null>;
  list(query: ExecutionQuery): Promise<ExecutionPage>;
  /**
   * Ids of background executions that are open, or not announced, and whose `leaseExpiresAt` has come: all of the group, read
   * page by page as they are asked for, the longest overdue of each page first.
   */
  findDue(now: number, group: DueGroup): AsyncIterable<string>;
  /** Looks at it again later. */
  extendLease(executionId: string, leaseExpiresAt: number): Promise<void>;
}
