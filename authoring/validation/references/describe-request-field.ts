import { didYouMean, quote, quoteAll } from '../../../lib/shared/describe.ts';
import { requestFields, requestNames } from './foreign-names.ts';
import { toNodePath, toPath } from './name-paths.ts';
import { type Names, SCOPE_VARIABLES } from './names.ts';
import { type Ast, namesBehind } from './syntax-tree.ts';

/**
 * Problem with a name that must be a field of a request; null for a valid one.
 * @param fields - the fields of the request
 * @param step - the name
 * @param others - the steps after it
 * @param from - the path before the name: `$trigger.`, or empty for the input
 */
export const describeRequestField = (
  names: Names,
  fields: readonly string[],
  step: Ast,
  others: readonly Ast[],
  from = '',
): string | null => {
  const name = String(step.value);
  if (fields.includes(name)) return null;
  const rest = namesBehind(step, others);
  const meant = findVariable(names, name, rest) ?? `${from}${toPath(findField(names, fields, name, rest))}`;
  return `the request has no ${quote(name)}, but ${quoteAll(fields)}${didYouMean(meant)}`;
};

/** Suggestion for a variable without its `$`: `nodes.pick.total`, or `pick.total` with a node id. */
const findVariable = ({ nodeIds }: Names, name: string, rest: readonly string[]): string | null => {
  if (SCOPE_VARIABLES.includes(name)) return `$${toPath([name, ...rest])}`;
  return nodeIds.has(name) ? toNodePath(name, rest) : null;
};

/** The path of a similar name or another tool's name, otherwise of a field of the body. */
const findField = (
  { findNearest }: Names,
  fields: readonly string[],
  name: string,
  rest: readonly string[],
): readonly string[] => {
  const [next = '', ...deeper] = rest;
  const inner = fields.includes(next) ? next : findForeign(fields, next);
  if (requestNames.has(name) && inner !== undefined) return [inner, ...deeper];
  const near = findForeign(fields, name) ?? findNearest(name, fields);
  return near === null ? ['body', name, ...rest] : [near, ...rest];
};

/** Our field for another tool's name. When the path has no parameters, values in the URL are query parameters. */
const findForeign = (fields: readonly string[], name: string): string | undefined => {
  const field = requestFields.get(name);
  return field === 'pathParams' && !fields.includes(field) ? 'queryParams' : field;
};
