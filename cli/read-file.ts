import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import type { Problem } from '../lib/workflows/definition/problem.ts';
import { validateWorkflow } from '../lib/workflows/validation/validate.ts';
import { CommandError } from './command-error.ts';
import { checkEntries, type Entry } from './events/check-entries.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import { locateValues, parseJson } from './parse-json.ts';

/** The streams and the environment that a file is read with. */
type InputIo = Pick<Io, 'readStdin'> & Partial<Pick<Io, 'env'>>;

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

/**
 * Reads and checks a workflow file; `-` is standard input.
 *
 * @throws CommandError with every problem on a line of its own: `orders.json:12:9: /nodes/1/type …`
 */
export const readWorkflow = (
  file: string,
  io: InputIo,
  findNodeType: FindNodeType,
): Promise<WorkflowDefinition> =>
  readChecked(file, io, async (content) => {
    const { definition, problems } = await validateWorkflow(content, findNodeType);
    return { value: definition, problems };
  });

/**
 * Reads and checks a file with an event or a message, or a list of them; `-` is standard input.
 *
 * @throws CommandError with every problem on a line of its own: `upload.json:3:12: /detail must be object`
 */
export const readEntries = (file: string, io: InputIo): Promise<readonly Entry[]> =>
  readChecked(file, io, async (content) => checkEntries(content));

type Check<Value> = (
  content: unknown,
) => Promise<{ readonly value: Value | null; readonly problems: readonly Problem[] }>;

const readChecked = async <Value>(file: string, io: InputIo, check: Check<Value>): Promise<Value> => {
  const { name, text } = await readInput(file, io);
  const { value, problems } = await check(parseJson(text, name));
  if (value !== null) return value;
  const placeOf = locateValues(text);
  throw new CommandError(
    problems.map(({ path, message }) => `${name}:${placeOf(path)}: ${path || '/'} ${message}`).join('\n'),
  );
};
