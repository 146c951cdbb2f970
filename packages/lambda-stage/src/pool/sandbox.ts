import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  ANSWER_FD,
  type FromProcess,
  type FunctionVersion,
  type InvocationContext,
  type ToProcess,
} from './messages.ts';

/** The program of a process. Its bundle starts in half the time. */
export const PROCESS_FILE: string = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url));

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;

/** Time limit for loading the code. As on Lambda, the function's own timeout starts with the handler. */
const LOAD_MS = 60_000;

/** The process ended before it started the invocation: another one can take it. */
export class NotBegun extends Error {}

/** The process of one version of a function, for one invocation at a time. */
export class Sandbox {
  /** Resolves when the process has ended and all its messages were read. */
  readonly closed: Promise<void>;
  #version: FunctionVersion | null = null;
  #isClosed = false;
  readonly #child: ChildProcess;
  /** Called with each message of the process, and null at its end. */
  #listener: ((message: FromProcess | null) => void) | null = null;

  /**
   * @param processFile - `PROCESS_FILE`, or its bundle
   * @param nodeArguments - for Node, before the program
   */
  constructor(
    environment: NodeJS.ProcessEnv,
    processFile: string = PROCESS_FILE,
    nodeArguments: readonly string[] = [],
  ) {
    this.#child = spawn(process.execPath, [...nodeArguments, processFile], {
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'],
    });
    readLines(this.#child.stdio[ANSWER_FD] as Readable, (line) => this.#listener?.(JSON.parse(line)));
    this.closed = new Promise((resolve) => {
      const close = () => {
        if (this.#isClosed) return;
        this.#isClosed = true;
        this.#listener?.(null);
        resolve();
      };
      this.#child.once('close', close);
      this.#child.on('error', () => this.#child.pid === undefined && close()); // the start failed
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Version of the loaded function; null before `load`. */
  get version(): FunctionVersion | null {
    return this.#version;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws Error when the code cannot be loaded; the process is then unusable */
  async load(version: FunctionVersion): Promise<void> {
    this.#version = version;
    await this.#converse({ kind: 'load', version }, LOAD_MS, (message) => message.kind === 'loaded');
  }

  /**
   * Invokes the function.
   * @param onBegun - called when the handler is
   * @param onLog - called with the end of its log, once it has returned or failed
   * @throws NotBegun if the process ended before the handler was called
   * @throws Error when the function fails, its process ends or its time is up
   */
  async invoke(
    event: unknown,
    requestId: string,
    onBegun: () => void = () => {},
    context?: InvocationContext,
    onLog: (tail: string) => void = () => {},
  ): Promise<unknown> {
    const version = this.#version;
    if (version === null) throw new Error('the process has not loaded a function');
    let hasBegun = false;
    let output: unknown;
    try {
      const message = { kind: 'invoke', event, requestId, ...(context && { context }) } as const;
      await this.#converse(message, version.timeoutMs, (message) => {
        if (message.kind === 'began') {
          hasBegun = true;
          onBegun();
        }
        if (message.kind === 'failed' || message.kind === 'done') onLog(message.log);
        if (message.kind !== 'done') return false;
        output = message.output;
        return true;
      });
    } catch (error) {
      if (!hasBegun && this.#isClosed) throw new NotBegun('the process has already ended', { cause: error });
      throw error;
    }
    return output;
  }

  /** Ends the process with SIGTERM, and with SIGKILL after the grace period. */
  async end(graceMs: number = GRACE_MS): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    await this.closed;
    clearTimeout(timer);
  }

  /** Sends a message and waits for the reply that `isLast` accepts. */
  #converse(message: ToProcess, timeoutMs: number, isLast: (message: FromProcess) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.#listener = null;
        act();
      };
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.#child.kill('SIGKILL');
      }, timeoutMs);
      this.#listener = (answer) => {
        if (answer === null) {
          settle(() => reject(new Error(isLate ? describeTimeout(timeoutMs) : this.#describeEnd())));
        } else if (isLast(answer)) settle(resolve);
        else if (answer.kind === 'failed') settle(() => reject(new Error(answer.reason)));
      };
      if (this.#isClosed) this.#listener(null);
      else this.#child.send(message, () => {}); // the end of the process reports a failure to send
    });
  }

  #describeEnd(): string {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined) return 'its process could not start';
    return signalCode === null ? `exit code ${exitCode}` : `killed by ${signalCode}`;
  }
}

const describeTimeout = (timeoutMs: number): string => `it timed out after ${timeoutMs / 1_000} seconds`;

/** Reads a stream line by line. A line may be megabytes: its pieces are joined once. */
const readLines = (stream: Readable, onLine: (line: string) => void): void => {
  let pieces: string[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n');
    pieces.push(first);
    for (const piece of others) {
      onLine(pieces.join(''));
      pieces = [piece];
    }
  });
};

/** Provides processes that have not loaded anything yet. */
export interface SpareSandbox {
  take(): Sandbox;
  stop(): Promise<void>;
}

/** Delays the next start until the previous process has loaded its function, so as not to slow it down. */
const REFILL_MS = 150;

/**
 * Keeps one process started ahead: starting one takes longer than most invocations.
 * @param processFile - see {@link Sandbox}
 * @param nodeArguments - see {@link Sandbox}
 */
export const createSpareSandbox = (
  environment: NodeJS.ProcessEnv = process.env,
  processFile?: string,
  nodeArguments: readonly string[] = [],
): SpareSandbox => {
  const start = () => new Sandbox(environment, processFile, nodeArguments);
  let isStopped = false;
  let refill: NodeJS.Timeout | undefined;
  let spare: Sandbox | null = start();
  return {
    take: () => {
      const sandbox = spare === null || spare.isClosed ? start() : spare;
      spare = null;
      refill ??= setTimeout(() => {
        refill = undefined;
        if (!isStopped) spare ??= start();
      }, REFILL_MS);
      return sandbox;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(refill);
      await spare?.end();
    },
  };
};

/** Starts each process on demand, for a command that may need none. */
export const noSpareSandbox: SpareSandbox = {
  take: () => new Sandbox(process.env),
  stop: async () => {},
};
