import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';
import { CommandError } from './command-error.ts';

/** The streams, environment and clock of a command; tests pass their own. */
export interface Io {
  /** Writes results to standard output, one line or several. */
  print(text: string): void;
  /** Writes errors, warnings and hints to standard error. */
  note(text: string): void;
  readStdin(): Promise<string>;
  /** Whether standard input is a terminal, so that questions can be asked. */
  readonly isTerminal: boolean;
  /** Asks a question on the terminal. @throws CommandError if it is left with Ctrl+C or Ctrl+D */
  ask(question: string): Promise<string>;
  /** Asks for a secret on the terminal, without echoing what is typed. */
  askSecret(question: string): Promise<string>;
  /** Characters in a line of the terminal that prints results; null when they go to a file or a pipe. */
  readonly columns: number | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** @throws the signal's reason when it is aborted before */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a signal that Ctrl+C aborts, which then does not end the process: for commands that run until then. */
  untilInterrupted(): AbortSignal;
  /** Opens an address in a browser on this machine; does nothing without a terminal or a browser. */
  browse(address: string): void;
  /** Colours text for `note`, only on a terminal; respects `NO_COLOR` (https://no-color.org). */
  paint(format: Format, text: string): string;
  /** Colours a text for `print`, as `paint` does for `note`. */
  paintOut(format: Format, text: string): string;
}

export type Format = 'green' | 'red' | 'yellow';

/** Asks on a terminal whether to go on. @param refusal - says what was not done. @throws CommandError if not */
export const confirmOnTerminal = async (question: string, refusal: string, io: Io): Promise<void> => {
  if (!io.isTerminal) return;
  const answer = await io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(refusal);
};

export const printJson = (value: unknown, { print }: Pick<Io, 'print'>): void =>
  print(JSON.stringify(value, null, 2));

export const printLines = (lines: readonly string[], { print }: Pick<Io, 'print'>): void => {
  for (const line of lines) print(line);
};

/** Reads a line of a terminal. @throws CommandError if it is left with Ctrl+C or Ctrl+D @internal */
export const askOn = async (input: Readable, output: Writable, question: string): Promise<string> => {
  const line = createInterface({ input, output, terminal: true });
  const left = new Promise<never>((_resolve, reject) => {
    line.once('close', () => reject(new CommandError('Cancelled: nothing was changed.')));
  });
  try {
    return await Promise.race([left, line.question(question).catch(() => left)]);
  } catch (error) {
    output.write('\n'); // what follows begins a line of its own
    throw error;
  } finally {
    line.close();
  }
};

const askOnTerminal = (question: string): Promise<string> => askOn(process.stdin, process.stderr, question);

/** Reads a line with an editor whose output is discarded, so that nothing is echoed. */
const askSecret = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await askOn(process.stdin, silent, '');
  } finally {
    process.stderr.write('\n');
  }
};

const BROWSERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openInBrowser(address: string): void {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return;
  const [command = '', ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.once('error', () => {}); // the address is also printed
  child.unref();
}

/** The variable wins, as for `ls` and `git`; a terminal may not say how wide it is. @internal */
export const readColumns = (
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  variable = '',
): number | null => {
  if (isTTY !== true) return null;
  const set = /^[1-9]\d{0,3}$/.test(variable) ? Number(variable) : 0;
  return set || columns || USUAL_COLUMNS;
};

const USUAL_COLUMNS = 80;

export const processIo: Io = {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  readStdin: () => text(process.stdin),
  isTerminal: process.stdin.isTTY === true,
  ask: askOnTerminal,
  askSecret,
  columns: readColumns(process.stdout, process.env.COLUMNS),
  env: process.env,
  now: () => Date.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal === undefined ? {} : { signal }),
  untilInterrupted: () => {
    const controller = new AbortController();
    process.once('SIGINT', () => controller.abort());
    return controller.signal;
  },
  browse: openInBrowser,
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
