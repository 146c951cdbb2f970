// The protocol between a stage and the processes of its pools.

/** One version of a function's code, with its settings. */
export interface FunctionVersion {
  /** The function's key: its name without the stack's. */
  readonly key: string;
  /** Absolute path of the bundle; each version of the code has its own file. */
  readonly file: string;
  readonly exportName: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Time limit of one invocation. */
  readonly timeoutMs: number;
  /** What Lambda's context contains about the function; by default, a function on this machine. */
  readonly identity?: FunctionIdentity;
}

/** Documented at https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html */
export interface FunctionIdentity {
  readonly functionName: string;
  readonly functionVersion: string;
  /** The ARN for an invocation without a version or alias. */
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
}

/** What differs between invocations of a function. */
export interface InvocationContext {
  /** The function's ARN, with the version or alias that the caller named. */
  readonly invokedFunctionArn?: string;
  readonly clientContext?: unknown;
}

/** A message to the process: `load` once, then `invoke`, one at a time. */
export type ToProcess =
  | { readonly kind: 'load'; readonly version: FunctionVersion }
  | {
      readonly kind: 'invoke';
      readonly event: unknown;
      readonly requestId: string;
      readonly context?: InvocationContext;
    };

/**
 * A message from the process. `began` precedes the call of the handler: until then another process can take the
 * invocation. `log` is the end of its output.
 */
export type FromProcess =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'began' }
  | { readonly kind: 'done'; readonly output: unknown; readonly log: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly log: string };

/** The file descriptor to which a process writes its messages. */
export const ANSWER_FD = 3;
