import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { validateWorkflow } from '../lib/workflows/validation/validate.ts';
import { CommandError } from './command-error.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import { locateValues, parseJson } from './parse-json.ts';

/**
 * Reads and checks a workflow file; `-` is standard input.
 *
 * @throws CommandError with every problem on a line of its own: `orders.json:12:9: /nodes/1/type …`
 */
export const readWorkflow = async (
  file: string,
  io: Pick<Io, 'readStdin'> & Partial<Pick<Io, 'env'>>,
  findNodeType: FindNodeType,
): Promise<WorkflowDefinition> => {
  const name = file === '-' ? 'stdin' : file;
  const text = file === '-' ? await io.readStdin() : await readText(file, io.env);
  const { definition, problems } = await validateWorkflow(parseJson(text, name), findNodeType);
  if (definition !== null) return definition;
  const placeOf = locateValues(text);
  throw new CommandError(
    problems.map(({ path, message }) => `${name}:${placeOf(path)}: ${path || '/'} ${message}`).join('\n'),
  );
};

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
