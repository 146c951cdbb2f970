import { readFile } from 'node:fs/promises';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition.ts';
import { validateWorkflow } from '../lib/workflows/validate.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';

/**
 * Reads and checks a workflow file; `-` is standard input.
 * @throws CommandError with every problem on a line of its own: file, place, what is wrong
 */
export const readWorkflow = async (
  file: string,
  io: Pick<Io, 'readStdin'>,
  findNodeType: FindNodeType,
): Promise<WorkflowDefinition> => {
  const name = file === '-' ? 'stdin' : file;
  const value = parseJson(file === '-' ? await io.readStdin() : await readText(file), name);
  const { definition, problems } = await validateWorkflow(value, findNodeType);
  if (definition !== null) return definition;
  throw new CommandError(
    problems.map(({ path, message }) => `${name}: ${path || '/'} ${message}`).join('\n'),
  );
};

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${file}: ${code === 'ENOENT' ? 'there is no such file' : `can't be read (${code})`}`,
    );
  }
};

const parseJson = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${name}${placeOf(error, text)}: is not JSON: ${(error as Error).message}`);
  }
};

/** `:line:column`, as editors understand it. */
const placeOf = (error: unknown, text: string): string => {
  const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `:${before.length}:${(before.at(-1) ?? '').length + 1}`;
};
