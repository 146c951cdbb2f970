import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';

/** Streams, environment and clock of a command; tests pass their own. */
export interface Io {
  /** Writes results to standard output, one line or several. */
  print(text: string): void;
  /** Writes errors, warnings and hints to standard error. */
  note(text: string): void;
  readStdin(): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Colours a text for `note`, on a terminal only; `NO_COLOR` is respected. */
  paint(format: Format, text: string): string;
  /** The same for `print`. */
  paintOut(format: Format, text: string): string;
}

type Format = 'green' | 'red' | 'yellow';

export const processIo: Io = {
  print: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  readStdin: () => text(process.stdin),
  env: process.env,
  now: () => Date.now(),
  sleep: (ms) => setTimeout(ms),
  paint: (format, line) => styleText(format, line, { stream: process.stderr }),
  paintOut: (format, line) => styleText(format, line, { stream: process.stdout }),
};

/** Exits without an error when the reader of a pipe closes it, as `| head` does when it has enough. */
export const endWithPipe = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
  }
};
