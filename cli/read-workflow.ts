import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { validateWorkflow } from '../lib/workflows/validation/validate.ts';
import { CommandError } from './command-error.ts';
import { findJsonError } from './find-json-error.ts';
import type { Io } from './io.ts';

/**
 * Reads and checks a workflow file; `-` is standard input.
 * @throws CommandError with every problem on a line of its own: file, place, what is wrong
 */
export const readWorkflow = async (
  file: string,
  io: Pick<Io, 'readStdin'> & Partial<Pick<Io, 'env'>>,
  findNodeType: FindNodeType,
): Promise<WorkflowDefinition> => {
  const name = file === '-' ? 'stdin' : file;
  const value = parseJson(file === '-' ? await io.readStdin() : await readText(file, io.env), name);
  const { definition, problems } = await validateWorkflow(value, findNodeType);
  if (definition !== null) return definition;
  throw new CommandError(
    problems.map(({ path, message }) => `${name}: ${path || '/'} ${message}`).join('\n'),
  );
};

/** `npm run cli` goes to the project's folder first: what is written on its command line is relative to where it was. */
const folderOf = ({ npm_lifecycle_event: script, INIT_CWD: folder }: Io['env']): string =>
  script === 'cli' && folder !== undefined ? folder : '.';

const readText = async (file: string, env: Io['env'] = {}): Promise<string> => {
  try {
    return await readFile(resolve(folderOf(env), file), 'utf8');
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
