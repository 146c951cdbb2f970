import { readFile } from 'node:fs/promises';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition.ts';
import { validateWorkflow } from '../lib/workflows/validate.ts';
import { CommandError } from './command-error.ts';
import { findJsonError } from './find-json-error.ts';
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
  } catch {
    const at = findJsonError(text) ?? 0;
    const [found] = text.slice(at, at + 2); // a character may take two places
    const reason = found === undefined ? 'it ends too early' : `${JSON.stringify(found)} can't stand here`;
    throw new CommandError(`${name}:${placeOf(at, text)}: is not JSON: ${reason}`);
  }
};

/** `line:column`, as editors understand it. */
const placeOf = (at: number, text: string): string => {
  const before = text.slice(0, at).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
};
