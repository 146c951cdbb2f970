import type { Node } from '@hookloom/counted-jsonata';
import { quote } from '../../../../lib/shared/describe.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { parse } from '../types/parse.ts';
import { SCOPE_VARIABLES } from './names.ts';
import { nodesOf } from './syntax-tree.ts';

/**
 * What makes values of an expression differ: data, only time or chance, or nothing. `fixed` is data that is the same for
 * all requests of a workflow, such as their method or a variable; `never` is data that no two executions have in common.
 */
export type DataSource = 'data' | 'fixed' | 'time' | 'never' | 'nothing';

const VARYING = ['now', 'millis', 'random', 'uuid', 'shuffle'];
const ROOTS = ['', '$', ...SCOPE_VARIABLES];
const NAMES = ['name', 'wildcard', 'descendant', 'parent'];

/** @param text - without braces */
export const findDataSource = (text: string): DataSource => {
  const tree = parseOrNull(text);
  if (tree === null) return 'data'; // reported as a syntax error
  let source: DataSource = 'nothing';
  for (const node of nodesOf(tree)) {
    if (NAMES.includes(node.type) || (node.type === 'variable' && ROOTS.includes(node.value))) return 'data';
    if (node.type !== 'function' || node.procedure.type !== 'variable') continue;
    if (VARYING.includes(node.procedure.value)) source = 'time';
    else if (node.arguments.length === 0) return 'data'; // it takes its argument from the input
  }
  return source;
};

/** Data that is the same for all, as a path: what requests have in common, variables, and the workflow. */
const FIXED =
  /^(?:requestMethod|triggerType|headers\.(?:host|content-type|accept|accept-encoding|connection|user-agent|x-forwarded-(?:proto|port))|\$vars\..*|\$execution\.(?:workflowId|workflowVersion|stage|trigger\b.*))$/;

/** Data that differs for each request or execution, also for repeated ones. */
const NEVER_AGAIN =
  /^(?:triggeredAt|\$execution\.(?:id|startedAt)|headers\.(?:x-amzn-trace-id|traceparent|date))$/;

/**
 * What makes keys differ: like {@link findDataSource}, with names for data that no two deliveries have in common, and for
 * data that all of them have.
 *
 * @param text - without braces
 * @param isOnePath - whether all requests have one path
 */
export const findKeySource = (text: string, isOnePath = false): DataSource => {
  const source = findDataSource(text);
  const tree = source === 'data' ? parseOrNull(text) : null;
  if (tree === null) return source;
  const nodes = [...nodesOf(tree)];
  if (nodes.some(isVarying)) return source;
  const paths = nodes.flatMap((node) => (node.type === 'path' ? [readPath(node.steps)] : []));
  const isRoot = (node: Node | undefined) => node?.type === 'variable' && ROOTS.includes(node.value);
  const wholes =
    nodes.filter(isRoot).length -
    nodes.filter((node) => node.type === 'path' && isRoot(node.steps[0])).length;
  const isOnly = (isIn: (path: string) => boolean) => wholes === 0 && paths.length > 0 && paths.every(isIn);
  // Steps of paths are nodes, too: other names, wildcards and filters are in none of these.
  if (isOnly((path) => FIXED.test(path) || (isOnePath && path === 'requestPath'))) return 'fixed';
  return isOnly((path) => NEVER_AGAIN.test(path)) ? 'never' : source;
};

/** The names of a path, without what begins at the request; a dash for what is none. */
const readPath = (steps: readonly Node[]): string => {
  const names = steps.map((step) => {
    if (step.stages !== undefined || step.predicate !== undefined) return '-';
    if (step.type === 'variable') return `$${step.value}`;
    return step.type === 'name' ? step.value : '-';
  });
  const isRoot = ['$', '$$', '$trigger'].includes(names[0] ?? '');
  return names
    .slice(isRoot ? 1 : 0)
    .join('.')
    .replace(/^headers\..*$/i, (text) => text.toLowerCase());
};

/** The source of a key that may have several expressions; texts around them differ in no run. */
export const findTextSource = (text: string): DataSource => {
  const sources = splitTemplate(text).flatMap((part) =>
    'text' in part ? [] : [findKeySource(part.expression.trim())],
  );
  return (['data', 'never', 'time', 'fixed'] as const).find((one) => sources.includes(one)) ?? 'nothing';
};

const isVarying = (node: Node): boolean =>
  node.type === 'function' && node.procedure.type === 'variable' && VARYING.includes(node.procedure.value);

const parseOrNull = (text: string): Node | null => {
  try {
    return parse(text).tree;
  } catch {
    return null;
  }
};

/** Whether a text, with its expressions, is the same in every run. */
export const isConstantText = (text: string): boolean =>
  splitTemplate(text).every((part) => 'text' in part || findDataSource(part.expression.trim()) === 'nothing');

/** A path to data, as it is written in an expression. */
const PATH =
  /^(?:\$(?:trigger|nodes|execution|vars)|body|headers|queryParams|pathParams|item)(?:\.(?:\w+|`[^`]+`)(?:\[-?\d+\])?){1,20}$/;

export const isDataPath = (text: string): boolean => text.length <= 300 && PATH.test(text);

/** Whether a text is a path to data, or compares one with something: a value or a condition that has been put into quotes. */
export const isQuotedPath = (text: string): boolean => isDataPath(text) || isComparison(text);

/** Statements of SQL. */
export const SQL =
  /^\s*(?:select\b.*\bfrom\b|insert\s+into\b|update\b.*\bset\b|delete\s+from\b|with\b.*\bselect\b)/is;

/** The first path to data that stands in quotes, with its quotes; null if there is none. @param text - without braces */
const findQuotedPath = (text: string): string | null => {
  for (const [quoted] of text.matchAll(/"[^"]*"|'[^']*'/g))
    if (isQuotedPath(quoted.slice(1, -1))) return quoted;
  return null;
};

/** Whether a text compares a path to data with something: a whole condition in quotes. */
const isComparison = (text: string): boolean => {
  const [, path = ''] = /^([^\s=<>!]{1,300})\s?(?:!=|[<>]=?|=)\s?\S/.exec(text) ?? [];
  return isDataPath(path);
};

/** What is wrong with a constant, and the expression without its quotes, or null. @param text - without braces */
export const describeQuotes = (text: string): { readonly hint: string; readonly meant: string | null } => {
  const quoted = findQuotedPath(text);
  const meant = quoted === null ? null : text.replace(quoted, () => quoted.slice(1, -1));
  return {
    hint: meant === null ? '' : `: ${quoted} in quotes is a text; did you mean ${quote(meant)}?`,
    meant,
  };
};
