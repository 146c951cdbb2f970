import type { Node } from '@hookloom/counted-jsonata';
import { quote } from '../../../../lib/shared/describe.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { parse } from '../types/parse.ts';
import { SCOPE_VARIABLES } from './names.ts';
import { nodesOf } from './syntax-tree.ts';

/** What makes values of an expression differ: data, only time or chance, or nothing. */
export type DataSource = 'data' | 'time' | 'nothing';

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
