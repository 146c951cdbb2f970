import type { FindNodeType } from '../lib/contract/node-type.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { validateWorkflow } from '../lib/workflows/validation/validate.ts';
import { CommandError } from './command-error.ts';
import { locateValues, parseJson } from './parse-json.ts';
import { type InputIo, readInput } from './read-input.ts';

/**
 * Reads and checks a workflow file; `-` is standard input.
 *
 * @throws CommandError with every problem on a line of its own: `orders.json:12:9: /nodes/1/type …`
 */
export const readWorkflow = async (
  file: string,
  io: InputIo,
  findNodeType: FindNodeType,
): Promise<WorkflowDefinition> => {
  const { name, text } = await readInput(file, io);
  const { definition, problems } = await validateWorkflow(parseJson(text, name), findNodeType);
  if (definition !== null) return definition;
  const placeOf = locateValues(text);
  throw new CommandError(
    problems.map(({ path, message }) => `${name}:${placeOf(path)}: ${path || '/'} ${message}`).join('\n'),
  );
};
