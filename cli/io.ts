import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';

/** What a command has of the outside; a test brings its own. */
export interface Io {
  /** What was asked for. One line, or several. */
  print(text: string): void;
  /** What went wrong, or is worth knowing. */
  note(text: string): void;
  readStdin(): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** The same for what is printed: for who follows something live. */
  paintOut(format: 'green' | 'red' | 'yellow' | 'bold', text: string): string;
  /** Colours a text of a note, on a terminal only; `NO_COLOR` is respected. */
  paint(format: 'green' | 'red' | 'yellow' | 'bold', text: string): string;
}

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

/** `| head` closes the pipe when it has enough: then there is nothing left to do, and nothing wrong. */
export const endWithPipe = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
  }
};
