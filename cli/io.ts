import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';

/** The streams, environment and clock of a command; tests pass their own. */
export interface Io {
  /** Writes results to standard output, one line or several. */
  print(text: string): void;
  /** Writes errors, warnings and hints to standard error. */
  note(text: string): void;
  readStdin(): Promise<string>;
  /** Whether standard input is a terminal, so that questions can be asked. */
  readonly isTerminal: boolean;
  /** Asks a question on the terminal. */
  ask(question: string): Promise<string>;
  /** Asks for a secret on the terminal, without echoing what is typed. */
  askSecret(question: string): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** @throws the signal's reason when it is aborted before */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a signal that Ctrl+C aborts, which then does not end the process: for commands that run until then. */
  untilInterrupted(): AbortSignal;
  /** Colours text for `note`, only on a terminal; respects `NO_COLOR`. */
  paint(format: Format, text: string): string;
  /** Colours a text for `print`, as `paint` does for `note`. */
  paintOut(format: Format, text: string): string;
}

type Format = 'green' | 'red' | 'yellow';

async function ask(question: string): Promise<string> {
  const line = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    return await line.question(question);
  } finally {
    line.close();
  }
}

/** Reads a line with an editor whose output is discarded, so that nothing is echoed. */
async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await line.question('');
  } finally {
    line.close();
    process.stderr.write('\n');
  }
}

export const processIo: Io = {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  readStdin: () => text(process.stdin),
  isTerminal: process.stdin.isTTY === true,
  ask,
  askSecret,
  env: process.env,
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal }),
  untilInterrupted: () => {
    const controller = new AbortController();
    process.once('SIGINT', () => controller.abort());
    return controller.signal;
  },
  paint: (format, line) => styleText(format, line, { stream: process.stderr }),
  paintOut: (format, line) => styleText(format, line, { stream: process.stdout }),
};

/** Exits without an error when the reader of a pipe closes it, as `| head` does. */
export const endWithPipe = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
  }
};
