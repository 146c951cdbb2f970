import { isPlainObject, type JsonObject, type ParameterProblem } from '@hookloom/plugin-kit';

/**
 * Finds what the schema of the parameters can't say.
 *
 * @param parameters - stored ones, where a text may be an expression, or those of a run
 */
export const findProblems = (parameters: JsonObject): readonly ParameterProblem[] => {
  const { prompt, messages, schema } = parameters;
  const problems: ParameterProblem[] = [];
  if (prompt === undefined && messages === undefined)
    problems.push({ path: '/prompt', message: 'is missing: give either prompt or messages' });
  if (prompt !== undefined && messages !== undefined)
    problems.push({ path: '/messages', message: 'must be absent beside prompt' });
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (isPlainObject(last) && last.role === 'assistant')
    problems.push({ path: '/messages', message: 'must end with a message of the user' });
  if (isPlainObject(schema) && schema.type !== 'object')
    problems.push({
      path: '/schema',
      message: 'must have "type": "object", as the providers want it: put a list or a text into a property',
    });
  return problems;
};
