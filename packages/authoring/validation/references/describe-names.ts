import { didYouMean, quote, quoteAll } from '../../../../lib/shared/describe.ts';
import { NAMELESS } from '../graph/draft-graph.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import { foreignFunctions, foreignVariables, requestFields, requestNames } from './foreign-names.ts';
import { type Names, resolveId, SCOPE_VARIABLES, toName, toNodePath, toPath } from './names.ts';
import { type Ast, namesBehind } from './syntax-tree.ts';

const suggest = (message: string, written: string, meant: string | null): Finding => ({
  message: `${message}${didYouMean(meant)}`,
  ...correct(written, meant),
});

/**
 * Problem with a node id after `$nodes`; null for a valid one.
 * @param step - the id, as a name in a path or as a string
 * @param others - the steps after it
 */
export const describeNodeId = (
  text: string,
  names: Names,
  step: Ast,
  others: readonly Ast[],
): Finding | null => {
  const id = String(step.value);
  const written = readDashed(text, step);
  const dashed = written === id ? null : findDashedId(names.nodeIds, written);
  if (dashed !== null) {
    const behind = namesAfter(text, step, dashed);
    const meant = toNodePath(dashed, behind);
    return suggest(
      `$nodes.${dashed} is read as a subtraction`,
      ['$nodes', dashed, ...behind].join('.'),
      meant,
    );
  }
  if (!names.nodeIds.has(id)) {
    if (names.nodeIds.has(NAMELESS)) return null; // the missing node may be one with an invalid id
    const near = names.idOfName.get(id) ?? names.findNearest(written, names.nodeIds);
    const behind = written === id ? namesBehind(step, others) : namesAfter(text, step, written);
    return suggest(
      `there is no node ${quote(written)}`,
      written === id ? toNodePath(id, behind) : ['$nodes', written, ...behind].join('.'),
      near === null ? null : toNodePath(near, behind),
    );
  }
  if (id === names.ownId)
    return { message: `$nodes.${toName(id)} is the node's own output, which does not exist yet` };
  if (names.visibleIds === null || names.visibleIds.has(id)) return null;
  const readable = names.visibleIds.list();
  const near = names.findNearest(id, readable);
  const behind = namesBehind(step, others);
  return suggest(
    `$nodes.${toName(id)} can't be read here: no connection leads from that node to this one${describeReadable(readable)}`,
    toNodePath(id, behind),
    near === null ? null : toNodePath(near, behind),
  );
};

const MAX_READABLE = 8;

/** The nearest nodes, of which there can be many. */
const describeReadable = (ids: readonly string[]): string => {
  if (ids.length === 0) return '';
  const others = ids.length > MAX_READABLE ? ` and ${ids.length - MAX_READABLE} more` : '';
  const shown = ids.slice(0, MAX_READABLE).map((id) => `$nodes.${toName(id)}`);
  return `; it can read ${shown.join(', ')}${others}`;
};

/** The name in the text, including its dashes. */
export const readDashed = (
  text: string,
  {
    type,
    value,
    position,
  }: { readonly type?: unknown; readonly value?: unknown; readonly position?: unknown },
): string => {
  const name = String(value);
  if (type !== 'name') return name;
  const start = Number(position) - name.length;
  if (text.slice(start, start + name.length) !== name) return name; // in backticks
  return /^[A-Za-z0-9_-]{1,64}/.exec(text.slice(start, start + 64))?.[0] ?? name;
};

/** The id of a node at the start of a name with dashes: `my-node-1` may be `my-node` minus 1. */
const findDashedId = (nodeIds: ReadonlySet<string>, written: string): string | null => {
  for (let end = written.length; end > 0; end = written.lastIndexOf('-', end - 1)) {
    const id = written.slice(0, end);
    if (!id.includes('-')) return null;
    if (nodeIds.has(id)) return id;
  }
  return null;
};

/** The plain names after an id with dashes, read from the text: in the tree they are a subtraction. */
const namesAfter = (text: string, { value, position }: Ast, id: string): string[] => {
  const start = Number(position) - String(value).length + id.length;
  const path = /^(?:\.[A-Za-z_][A-Za-z0-9_]*)*/.exec(text.slice(start, start + 200))?.[0] ?? '';
  return path.split('.').slice(1);
};

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
): Finding | null => {
  const name = String(step.value);
  if (fields.includes(name)) return null;
  const rest = namesBehind(step, others);
  const meant = findVariable(names, name, rest) ?? `${from}${toPath(findField(names, fields, name, rest))}`;
  return suggest(
    `the request has no ${quote(name)}, but ${quoteAll(fields)}`,
    `${from}${toPath([name, ...rest])}`,
    meant,
  );
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
): Finding => {
  const no = `there is no $${name}`;
  const written = toVariablePath(name, rest);
  if (names.nodeIds.has(name)) return suggest(no, written, toNodePath(name, rest));
  const foreign = foreignVariables.get(name);
  if (foreign !== undefined) return suggest(`${no}: ${foreign}`, written, translate(names, name, rest));
  const near = names.findNearest(name, [...SCOPE_VARIABLES, ...bound]);
  if (near !== null) return suggest(no, written, toVariablePath(near, rest));
  const field = requestFields.get(name);
  if (field !== undefined)
    return suggest(`${no}: input fields are plain names`, written, toPath([field, ...rest]));
  const nearFunction = names.findNearName(name, names.isFunction);
  if (nearFunction !== null) return { message: `${no}${didYouMean(`$${nearFunction}`)}` };
  return {
    message: `${no}: an expression can read the fields of its input, ${SCOPE_VARIABLES.map((known) => `$${known}`).join(', ')}, and the variables it binds`,
  };
};

const toVariablePath = (name: string, rest: readonly string[]): string =>
  [`$${name}`, ...rest.map(toName)].join('.');

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

export const describeUnknownFunction = (names: Names, bound: ReadonlySet<string>, name: string): Finding => {
  const foreign = foreignVariables.get(name);
  const meant = findFunction(names, name);
  if (foreign !== undefined && meant === null) return { message: `there is no $${name}: ${foreign}` };
  const message = `there is no function $${name}`;
  // The functions of other languages take other arguments.
  if (meant?.isForeign === true) return { message: `${message}${didYouMean(meant.written)}` };
  return suggest(message, `$${name}`, meant?.written ?? prefixed(names.findNearest(name, bound)));
};

const prefixed = (name: string | null): string | null => (name === null ? null : `$${name}`);

/** Message for a method call such as `body.name.toUpperCase()`. */
export const describeMethod = (names: Names, name: string): string =>
  `${quote(`${name}()`)} can't be called: functions begin with "$"${didYouMean(findFunction(names, name)?.written ?? null)}`;

/** The JSONata function with that name, a similar name, or the same meaning in another language. */
const findFunction = (
  { isFunction, findNearName }: Names,
  name: string,
): { readonly written: string; readonly isForeign: boolean } | null => {
  const isMeant = (candidate: string): boolean => isFunction(candidate) || foreignFunctions.has(candidate);
  const known = isMeant(name) ? name : findNearName(name, isMeant);
  if (known === null) return null;
  const foreign = foreignFunctions.get(known);
  return { written: foreign ?? `$${known}`, isForeign: foreign !== undefined };
};
