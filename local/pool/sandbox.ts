import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ANSWER_FD, type FromProcess, type FunctionVersion, type ToProcess } from './messages.ts';

/** What a process runs; bundled, it starts in half the time. */
export const PROCESS_FILE: string = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url));

/** For what a process does when it is asked to end. */
const GRACE_MS = 2_000;

/** For its code to load: as on Lambda, the function's own timeout counts from the handler on. */
const LOAD_MS = 60_000;

/** The process ended before it began with the invocation: another one can take it. */
export class NotBegun extends Error {}

/** The process of one function's version, which handles one invocation at a time. */
export class Sandbox {
  /** Resolves when the process has ended and all that it said was read. */
  readonly closed: Promise<void>;
  #version: FunctionVersion | null = null;
  #isClosed = false;
  readonly #child: ChildProcess;
  /** Gets what the process says, and null when it has ended. */
  #listener: ((message: FromProcess | null) => void) | null = null;

  /** @param processFile `PROCESS_FILE`, or the bundle of it */
  constructor(environment: NodeJS.ProcessEnv, processFile: string = PROCESS_FILE) {
    this.#child = spawn(process.execPath, [processFile], {
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
      this.#child.on('error', () => this.#child.pid === undefined && close()); // it could not be started
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Null as long as it has loaded none. */
  get version(): FunctionVersion | null {
    return this.#version;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Rejects when the code can't be loaded; the process is of no use then. */
  async load(version: FunctionVersion): Promise<void> {
    this.#version = version;
    await this.#converse({ kind: 'load', version }, LOAD_MS, (message) => message.kind === 'loaded');
  }

  /**
   * Calls the function.
   * @param onBegun told that the handler is called now
   * @throws {NotBegun} when the process had ended before: another one can take it
   * @throws {Error} when the function fails, its process ends or its time is up
   */
  async invoke(event: unknown, requestId: string, onBegun: () => void = () => {}): Promise<unknown> {
    const version = this.#version;
    if (version === null) throw new Error('the process was given no function');
    let hasBegun = false;
    let output: unknown;
    try {
      await this.#converse({ kind: 'invoke', event, requestId }, version.timeoutMs, (message) => {
        if (message.kind === 'began') {
          hasBegun = true;
          onBegun();
        }
        if (message.kind !== 'done') return false;
        output = message.output;
        return true;
      });
    } catch (error) {
      if (!hasBegun && this.#isClosed) throw new NotBegun('the process had ended', { cause: error });
      throw error;
    }
    return output;
  }

  /** Asks the process to end; kills it when it has not by the end of its grace. */
  async end(graceMs: number = GRACE_MS): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs);
    await this.closed;
    clearTimeout(timer);
  }

  /** Sends a message and waits until `isLast` says that what came back ends it. */
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
        } else if (answer.kind === 'failed') settle(() => reject(new Error(answer.reason)));
        else if (isLast(answer)) settle(resolve);
      };
      if (this.#isClosed) this.#listener(null);
      else this.#child.send(message, () => {}); // a process that can't be told any more says so by its end
    });
  }

  #describeEnd(): string {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined) return 'its process could not be started';
    return signalCode === null ? `exit code ${exitCode}` : `it was ended by ${signalCode}`;
  }
}

const describeTimeout = (timeoutMs: number): string => `it timed out after ${timeoutMs / 1_000} seconds`;

/** A line may be megabytes: its pieces are joined once. */
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
