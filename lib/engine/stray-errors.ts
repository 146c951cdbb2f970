import type { ExecutionInfo } from '../contract/node.ts';

/** How an error got loose, as Node names it. */
export type StrayErrorKind = 'UnhandledRejection' | 'UncaughtException';

/** One run of one node, whose code is at work. */
export interface CodeOwner {
  readonly execution: ExecutionInfo;
  readonly nodeId: string;
  /** Ends the execution at this node. False when it had ended before, or was suspended. */
  fail(kind: StrayErrorKind, thrown: unknown): boolean;
}

/** Knows from whose code an error comes that was thrown or rejected where nothing could catch it. */
export interface StrayErrorGuard {
  /** Runs `work`: an error that all that it starts lets loose, then or later, is the owner's. */
  run<Value>(owner: CodeOwner, work: () => Value): Value;
  /** Resolves when the owners know of all that was rejected so far, and handled by nothing. */
  settle(): Promise<void>;
}
