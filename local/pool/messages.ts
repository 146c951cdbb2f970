// What the service and the processes of its pools say to one another.

/** One version of a function's code, with what it needs to run. */
export interface FunctionVersion {
  /** The function's key in serverless.yml. */
  readonly key: string;
  /** Absolute; another version of the code is another file. */
  readonly file: string;
  /** The name under which the file exports the handler. */
  readonly exportName: string;
  readonly environment: Readonly<Record<string, string>>;
  /** One invocation's. Milliseconds. */
  readonly timeoutMs: number;
}

/** To the process: first `load`, once; then `invoke`, one at a time. */
export type ToProcess =
  | { readonly kind: 'load'; readonly version: FunctionVersion }
  | { readonly kind: 'invoke'; readonly event: unknown; readonly requestId: string };

/** From the process. `began` comes before the handler is called: until then the invocation can be given to another. */
export type FromProcess =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'began' }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/** The file descriptor at which a process answers. */
export const ANSWER_FD = 3;
