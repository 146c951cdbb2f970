import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';

/** The streams and the environment that a file is read with. */
export type InputIo = Pick<Io, 'readStdin'> & Partial<Pick<Io, 'env'>>;

/** A text, and its name in messages. */
interface Input {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a file; `-` is standard input.
 *
 * @throws CommandError when it can't be read
 */
export const readInput = async (file: string, io: InputIo): Promise<Input> =>
  file === '-'
    ? { name: 'stdin', text: await io.readStdin() }
    : { name: file, text: await readText(file, io.env) };

const readText = async (file: string, env: Io['env'] = {}): Promise<string> => {
  try {
    return await readFile(resolve(callerFolder(env), file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${file}: ${code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})`}`,
    );
  }
};
