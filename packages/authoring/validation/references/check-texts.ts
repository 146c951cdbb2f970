import { quote } from '../../../../lib/shared/describe.ts';
import { tryJson } from '../../../../lib/shared/try-json.ts';
import type { Rule } from '../../../../lib/workflows/expressions/parameters.ts';
import type { TemplatePart } from '../../../../lib/workflows/expressions/scope.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import { GRAPHQL, JOINED_GRAPHQL, JOINED_JSON, JOINED_SQL } from './check-traps.ts';
import { isDataPath, SQL } from './data-source.ts';

/** Whether a text is one call of a function: `$now()`. */
const isCall = (text: string, isFunction: (name: string) => boolean): boolean => {
  const [, name = ''] = /^\$(\w{1,40})\([^"'{}]{0,200}\)$/.exec(text) ?? [];
  return name !== '' && isFunction(name);
};

/** Finds a path to data, or a call, without braces, where the parameter may be any text. */
export const findLiteralPath = (
  text: string,
  rules: readonly Rule[],
  isFunction: (name: string) => boolean,
): Finding[] => {
  const path = text
    .trim()
    .replace(/^=\s{0,5}/, '')
    .replace(/^\$(?=(?:body|headers|queryParams|pathParams)\.)/, '');
  const isFree = rules.every(({ format, pattern }) => format === undefined && pattern === undefined);
  if (!isFree || !(isDataPath(path) || isCall(path, isFunction))) return [];
  const meant = `{{ ${path} }}`;
  return [
    {
      message: `is literal text; did you mean ${quote(meant)}?`,
      severity: 'warning',
      ...correct(text, meant),
    },
  ];
};

/** Names of parameters that take an amount in cents. */
const CENTS = /amount|cents/i;
/** A product with 100 that is not rounded. */
const TIMES_100 = /^\s*(?:[\w$.`]+\s*\*\s*100|100\s*\*\s*[\w$.`]+)\s*$/;

const QUOTES = [`'`, `"`, '`'];

/** Finds texts in which the value of an expression stands between quotes, in JSON or in SQL. */
export const findMixedText = (text: string, parts: readonly TemplatePart[], path: string): Finding[] => {
  const [first, second, third] = parts.map((part) => ('text' in part ? part.text.trim() : null));
  const isQuoted = parts.length === 3 && second === null && first === third && QUOTES.includes(first ?? '');
  // Some headers, such as entity tags, have quotes.
  if (isQuoted && !path.includes('/headers/')) {
    const meant = text.trim().slice(1, -1).trim();
    const message = `has quotes around its value, which are a part of the text: without them, write ${quote(meant)}`;
    return [{ message, severity: 'warning', ...correct(text, meant) }];
  }
  const [whole] = parts;
  if (parts.length === 1 && whole !== undefined && 'expression' in whole) {
    const isCents = CENTS.test(path.slice(path.lastIndexOf('/'))) && TIMES_100.test(whole.expression);
    const meant = `{{ $round(${whole.expression.trim()}) }}`;
    const message = `gives 1998.9999999999998 for 19.99: did you mean ${quote(meant)}?`;
    return isCents ? [{ message, severity: 'warning', ...correct(text, meant) }] : [];
  }
  if (parts.length < 2) return [];
  if (isJson(parts)) return [{ message: JOINED_JSON, severity: 'warning' }];
  const plain = parts.map((part) => ('text' in part ? part.text : '1')).join('');
  if (GRAPHQL.test(plain)) return [{ message: JOINED_GRAPHQL, severity: 'warning' }];
  return SQL.test(text) ? [{ message: JOINED_SQL, severity: 'warning' }] : [];
};

/** Whether a text is JSON with any value in place of its expressions. */
const isJson = (parts: readonly TemplatePart[]): boolean => {
  const text = parts.map((part) => ('text' in part ? part.text : '1')).join('');
  return /^\s*[{[]/.test(text) && tryJson(text) !== undefined;
};
