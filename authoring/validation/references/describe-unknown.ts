import { didYouMean, quote } from '../../../lib/shared/describe.ts';
import { foreignFunctions, foreignVariables, requestFields } from './foreign-names.ts';
import { toName, toNodePath, toPath } from './name-paths.ts';
import { type Names, resolveId, SCOPE_VARIABLES } from './names.ts';

/**
 * Message for an unknown variable.
 * @param bound - variables that the expression binds
 * @param rest - the names after the variable
 */
export const describeUnknownVariable = (
  names: Names,
  bound: ReadonlySet<string>,
  name: string,
  rest: readonly string[],
): string => {
  const no = `there is no $${name}`;
  if (names.nodeIds.has(name)) return `${no}${didYouMean(toNodePath(name, rest))}`;
  const foreign = foreignVariables.get(name);
  if (foreign !== undefined) return `${no}: ${foreign}${didYouMean(translate(names, name, rest))}`;
  const near = names.findNearest(name, [...SCOPE_VARIABLES, ...bound]);
  if (near !== null) return `${no}${didYouMean([`$${near}`, ...rest.map(toName)].join('.'))}`;
  const field = requestFields.get(name);
  if (field !== undefined)
    return `${no}: input fields are plain names${didYouMean(toPath([field, ...rest]))}`;
  const nearFunction = names.findNearName(name, names.isFunction);
  if (nearFunction !== null) return `${no}${didYouMean(`$${nearFunction}`)}`;
  return `${no}: an expression can read the fields of its input, ${SCOPE_VARIABLES.map((known) => `$${known}`).join(', ')}, and the variables it binds`;
};

/** Names that other tools put between a node and its data. */
const WRAPPERS = new Set([
  'item',
  'first()',
  'last()',
  'all()',
  'json',
  'itemMatching()',
  'output',
  'outputs',
]);

/** Our equivalent of a path that begins with another tool's variable; null when there is none. */
const translate = (names: Names, variable: string, rest: readonly string[]): string | null => {
  switch (variable) {
    case 'json':
    case 'msg':
      return toPath(rest);
    case 'input':
      return toPath(withoutWrappers(rest));
    case 'states':
      return rest[0] === 'input' ? toPath(rest.slice(1)) : null;
    case 'node':
    case 'steps': {
      const [id, ...path] = rest;
      return id === undefined ? null : toNodePath(resolveId(names, id), withoutWrappers(path));
    }
    case 'item':
    case 'index':
      return toPath([variable, ...rest]);
    case 'itemIndex':
      return 'index';
    default:
      return null;
  }
};

export const withoutWrappers = (path: readonly string[]): readonly string[] => {
  const start = path.findIndex((name) => !WRAPPERS.has(name));
  return start === -1 ? [] : path.slice(start);
};

export const describeUnknownFunction = (names: Names, bound: ReadonlySet<string>, name: string): string => {
  const foreign = foreignVariables.get(name);
  const meant = findFunction(names, name);
  if (foreign !== undefined && meant === null) return `there is no $${name}: ${foreign}`;
  return `there is no function $${name}${didYouMean(meant ?? prefixed(names.findNearest(name, bound)))}`;
};

const prefixed = (name: string | null): string | null => (name === null ? null : `$${name}`);

/** Message for a method call such as `body.name.toUpperCase()`. */
export const describeMethod = (names: Names, name: string): string =>
  `${quote(`${name}()`)} can't be called: functions begin with "$"${didYouMean(findFunction(names, name))}`;

/** The JSONata function with that name, a similar name, or the same meaning in another language. */
const findFunction = ({ isFunction, findNearName }: Names, name: string): string | null => {
  const isMeant = (candidate: string): boolean => isFunction(candidate) || foreignFunctions.has(candidate);
  const known = isMeant(name) ? name : findNearName(name, isMeant);
  if (known === null) return null;
  return foreignFunctions.get(known) ?? `$${known}`;
};
