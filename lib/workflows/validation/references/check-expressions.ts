import type { JsonValue } from '../../../contract/json.ts';
import { quote, toPointerKey } from '../../../shared/describe.ts';
import type { Problem } from '../../definition/problem.ts';
import { checkExpressions } from '../../expressions/parameters.ts';
import { splitTemplate } from '../../expressions/template.ts';
import { findReferenceProblems } from './check-references.ts';
import type { Names } from './names.ts';

/** Checks the syntax and the names of all expressions in a node's parameters. */
export const checkNodeExpressions = async (
  value: JsonValue,
  path: string,
  names: Names,
): Promise<Problem[]> => {
  if (typeof value === 'string') return checkText(value, path, names);
  if (typeof value !== 'object' || value === null) return [];
  const problems: Problem[] = [];
  for (const [key, item] of Object.entries(value)) {
    problems.push(...(await checkNodeExpressions(item, `${path}/${toPointerKey(key)}`, names)));
  }
  return problems;
};

const checkText = async (text: string, path: string, names: Names): Promise<Problem[]> => {
  const foreign = describeForeignBraces(text);
  if (foreign !== null) return [{ path, message: foreign }];
  if (!text.includes('{{')) return [];
  const problems: Problem[] = [];
  for (const part of splitTemplate(text)) {
    if ('text' in part) problems.push(...(await checkExpressions(part.text, path)));
    else problems.push(...(await checkExpression(part.expression.trim(), path, names)));
  }
  return problems;
};

/** Checks an expression. @param expression - without its braces */
export const checkExpression = async (expression: string, path: string, names: Names): Promise<Problem[]> => {
  const unreadable = await checkExpressions(`{{ ${expression} }}`);
  if (unreadable.length > 0) {
    const hint = describeForeignOperators(expression);
    return unreadable.map(({ message }) => ({ path, message: `${message}${hint}` }));
  }
  return findReferenceProblems(expression, names).map((message) => ({ path, message }));
};

const BRACES = /\$?\{[^{}]*\}/g;
const PATH_IN_BRACES = /^\$?\{ ?([$a-zA-Z]+)\.[\w.]+ ?\}$/;
const OUR_NAMES = new Set(['body', 'headers', 'queryParams', '$json', '$input', '$trigger', '$nodes']);

/** Finds expressions in the syntax of n8n and Step Functions, which are literal text here. */
const describeForeignBraces = (text: string): string | null => {
  if (text.startsWith('={{')) return 'begins with "=", which would stay in the text: leave it out';
  const braces = findSingleBraces(text);
  if (braces !== undefined) {
    const inside = braces.slice(braces.indexOf('{') + 1, -1).trim();
    return `${quote(braces)} is text, since expressions stand in {{ }}; did you mean ${quote(`{{ ${inside} }}`)}?`;
  }
  if (!text.startsWith('{%') || !text.endsWith('%}')) return null;
  return `is a text, since expressions stand in {{ }}; did you mean ${quote(`{{ ${text.slice(2, -2).trim()} }}`)}?`;
};

/** `${body.name}` and `{body.name}`: only with one of our names and a dot, so that other braces stay text. */
const findSingleBraces = (text: string): string | undefined => {
  for (const { 0: braces, index } of text.matchAll(BRACES)) {
    const isPart = /[${]/.test(text[index - 1] ?? '') || text[index + braces.length] === '}';
    if (!isPart && OUR_NAMES.has(PATH_IN_BRACES.exec(braces)?.[1] ?? '')) return braces;
  }
  return undefined;
};

/** Quoted parts; one without its end extends to the end, which keeps matching linear. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?/gs;

/** Operators of other languages, with those of JSONata. */
const foreignOperators: readonly (readonly [RegExp, string])[] = [
  [/=>/, 'a function is written function($x) { $x.a }'],
  [/===?/, '"equals" is written ='],
  [/&&/, '"and" is written and'],
  [/\|\|/, '"or" is written or'],
  [/!(?!=)/, '"not" is written $not( )'],
];

const describeForeignOperators = (expression: string): string => {
  const code = expression.replace(QUOTED, '');
  const found = foreignOperators.find(([operator]) => operator.test(code));
  return found === undefined ? '' : `; in JSONata, ${found[1]}`;
};
