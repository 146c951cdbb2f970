import type { ExecutionStatus, FinalStatus, NodeFailure, NodeRecord } from './execution.ts';

export interface ExecutionStart {
  readonly executionId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly trigger: { readonly nodeId: string; readonly type: string };
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface ExecutionEnd {
  readonly status: FinalStatus;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly nodes: readonly NodeRecord[];
  readonly failure: NodeFailure | null;
}

/** The stored account of one execution. */
export interface ExecutionRecord extends ExecutionStart {
  readonly status: ExecutionStatus;
  readonly endedAt: number | null;
  /** Empty while it runs. Of a very long list only the first entries and the failed ones are kept. */
  readonly nodes: readonly NodeRecord[];
  /** How many entries of `nodes` were left out for their size. */
  readonly nodesOmitted: number;
  readonly failure: NodeFailure | null;
}

/** All methods reject with {@link AppError} `STORE_UNAVAILABLE` when the store can't be had. */
export interface ExecutionStore {
  /** A conditional put, which is what makes a start happen once: false when the execution exists already. */
  start(start: ExecutionStart): Promise<boolean>;
  /** Conditional on `running`: false, and nothing changed, when the execution has ended already or is unknown. */
  finish(executionId: string, end: ExecutionEnd): Promise<boolean>;
  find(executionId: string): Promise<ExecutionRecord | null>;
}
