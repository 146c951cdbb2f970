import type { ExecutionInfo } from '../contract/node.ts';

/** Node's event for the error. */
export type StrayErrorKind = 'UnhandledRejection' | 'UncaughtException';

/** A node run whose code is guarded: stray errors of that code are failures of this node. */
export interface GuardedRun {
  readonly execution: ExecutionInfo;
  readonly nodeId: string;
  /**
   * Fails the execution at this node.
   *
   * @returns false when it had ended before, or was suspended
   */
  fail(kind: StrayErrorKind, thrown: unknown): boolean;
}

/** Attributes stray errors, which no `catch` can reach, to the node run that caused them. */
export interface StrayErrorGuard {
  /** Runs `work`, and attributes to `run` the stray errors of all that it starts, then or later. */
  run<Value>(run: GuardedRun, work: () => Value): Value;
  /** Resolves when all unhandled rejections so far are reported to their runs. */
  flush(): Promise<void>;
}
