import type { JsonValue } from '@hookloom/plugin-kit';
import { quote, toPointerKey } from '../../../../lib/shared/describe.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { checkExpressions, findRules, type Rule } from '../../../../lib/workflows/expressions/parameters.ts';
import { splitTemplate } from '../../../../lib/workflows/expressions/template.ts';
import { findRoundedNumber } from '../mistakes/check-numbers.ts';
import { correct, type Finding, toProblems } from '../proposals/correction.ts';
import { findConstantProblems } from './check-constants.ts';
import { findReferenceProblems } from './check-references.ts';
import { findLiteralPath, findMixedText } from './check-texts.ts';
import { findTypeProblems } from './check-types.ts';
import type { Names } from './names.ts';

/** Checks the syntax and the names of all expressions in a node's parameters. */
export const checkNodeExpressions = async (
  value: JsonValue,
  path: string,
  names: Names,
  rules: readonly Rule[] = [],
): Promise<Problem[]> => {
  if (typeof value === 'string') {
    return checkText(value, path, names, rules);
  }
  if (typeof value !== 'object' || value === null) return [];
  const problems: Problem[] = [];
  for (const [key, item] of Object.entries(value)) {
    const inner = rules.flatMap((rule) => findRules(rule, key, Array.isArray(value)));
    const place = `${path}/${toPointerKey(key)}`;
    // Names of headers are checked as such.
    if (BRACES_IN_KEY.test(key) && !path.endsWith('/headers'))
      problems.push({
        path: place,
        message: 'is a key that keeps its {{ }}: write the whole map as an expression, {{ { body.key: 1 } }}',
        severity: 'warning',
      });
    problems.push(...(await checkNodeExpressions(item, place, names, inner)));
  }
  return problems;
};

const BRACES_IN_KEY = /^\s*\{\{.{1,300}\}\}\s*$/;

const checkText = async (
  text: string,
  path: string,
  names: Names,
  rules: readonly Rule[],
): Promise<Problem[]> =>
  toProblems(
    await findInText(text, path, names, rules),
    text,
    path,
    async (corrected) => (await findInText(corrected, path, withoutHints(names), rules)).length,
  );

const findInText = async (
  text: string,
  path: string,
  names: Names,
  rules: readonly Rule[],
): Promise<readonly Finding[]> => {
  const foreign = describeForeignBraces(text);
  if (foreign !== null) return [foreign];
  if (!text.includes('{{')) return findLiteralPath(text, rules, names.isFunction);
  const parts = splitTemplate(text);
  const findings: Finding[] = findMixedText(text, parts, path);
  for (const part of parts) {
    if ('text' in part)
      findings.push(...(await checkExpressions(part.text)).map(({ message }) => ({ message })));
    else
      findings.push(
        ...(await findInExpression(part.expression.trim(), names, parts.length === 1 ? rules : [])),
      );
  }
  return findings;
};

/** For a corrected text, of which only the number of findings matters. */
const withoutHints = (names: Names): Names => ({
  ...names,
  findNearest: () => null,
  findNearName: () => null,
});

/** @param expression - without its braces */
export const checkExpression = async (
  expression: string,
  path: string,
  names: Names,
  rules: readonly Rule[] = [],
): Promise<Problem[]> =>
  toProblems(
    await findInExpression(expression, names, rules),
    expression,
    path,
    async (corrected) => (await findInExpression(corrected, withoutHints(names), rules)).length,
  );

const findInExpression = async (
  expression: string,
  names: Names,
  rules: readonly Rule[],
): Promise<readonly Finding[]> => {
  const unreadable = await checkExpressions(`{{ ${expression} }}`);
  if (unreadable.length > 0) {
    const hint = describeForeignOperators(expression);
    return unreadable.map(({ message }) => ({ message: `${message}${hint}` }));
  }
  const rounded = findRoundedNumber(expression);
  if (rounded !== null) return [rounded];
  const found = findTypeProblems(expression, names, rules);
  // Unknown names are already reported, with suggestions.
  if (found.some(({ severity }) => severity === undefined)) return found;
  const wrong = findReferenceProblems(expression, names);
  if (wrong.length === 0) wrong.push(...(await findConstantProblems(expression, names)));
  return [...wrong, ...found];
};

/** Matches a tag of Liquid or Jinja, which is text here: a word by itself that ends a block, or two words in a row. */
const TEMPLATE_TAG =
  /^-?\s*(?:(?:else|end\w*|raw|verbatim|comment|break|continue)\b|\w+\s+(?!(?:and|or|in)\b)["'\w])/;

const BRACES = /\$?\{[^{}]*\}/g;
const PATH_IN_BRACES = /^\$?\{ ?([$a-zA-Z]+)\.[\w.]+ ?\}$/;
const ERB = /<%=\s{0,5}((?:body|headers|queryParams|\$trigger|\$nodes)\.[\w.]{1,200})\s{0,5}%>/;
const OUR_NAMES = new Set(['body', 'headers', 'queryParams', '$json', '$input', '$trigger', '$nodes']);

/** Finds expressions in the syntax of n8n and Step Functions, which are literal text here. */
const describeForeignBraces = (text: string): Finding | null => {
  if (text.startsWith('={{'))
    return {
      message: 'begins with "=", which would be kept as text: remove it',
      ...correct(text, text.slice(1)),
    };
  const braces = findSingleBraces(text);
  if (braces !== undefined) {
    const inside = braces.slice(braces.indexOf('{') + 1, -1).trim();
    const meant = `{{ ${inside} }}`;
    return {
      message: `${quote(braces)} is literal text: expressions are written in {{ }}; did you mean ${quote(meant)}?`,
      ...correct(braces, meant),
    };
  }
  const [tag = '', path = ''] = ERB.exec(text) ?? [];
  if (tag !== '') {
    const meant = `{{ ${path} }}`;
    return {
      message: `${quote(tag)} is literal text: expressions are written in {{ }}; did you mean ${quote(meant)}?`,
      ...correct(tag, meant),
    };
  }
  if (!text.startsWith('{%') || !text.endsWith('%}')) return null;
  const inside = text.slice(2, -2).trim();
  if (inside.includes('%}') || TEMPLATE_TAG.test(inside)) return null;
  const meant = `{{ ${inside} }}`;
  return {
    message: `is literal text: expressions are written in {{ }}; did you mean ${quote(meant)}?`,
    ...correct(text, meant),
  };
};

/**
 * Finds expressions with single braces, `${body.name}` and `{body.name}`: only with one of our names and a dot, so that
 * other braces stay text.
 */
const findSingleBraces = (text: string): string | undefined => {
  for (const { 0: braces, index } of text.matchAll(BRACES)) {
    const isPart = /[${]/.test(text[index - 1] ?? '') || text[index + braces.length] === '}';
    if (!isPart && OUR_NAMES.has(PATH_IN_BRACES.exec(braces)?.[1] ?? '')) return braces;
  }
  return undefined;
};

/** Quoted parts; one without its end extends to the end, which keeps matching linear. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?/gs;

/** Operators of other languages and their JSONata equivalents. */
const foreignOperators: readonly (readonly [RegExp, string])[] = [
  [/=>/, 'a function is written function($x) { $x.a }'],
  [/(?<!!)===?/, '"equals" is written ='],
  [/!==/, '"differs" is written !='],
  [/&&/, '"and" is written and'],
  [/\|\|/, '"or" is written or'],
  [/!(?!=)/, '"not" is written $not( )'],
  [/\?\./, 'a path needs no ?., since a missing field gives nothing'],
  [/\btypeof\b|\binstanceof\b/, 'the type of a value is $type( )'],
  [/\bnot\s+in\b/i, '"not in" is written $not(x in list)'],
  [/\bnot\s+[\w$(]/i, '"not" is written $not( )'],
  [/\bAND\b|\bOR\b|\bXOR\b/, 'and, or are written in small letters'],
  [/<>/, '"differs" is written !='],
  [/\bis\s+(?:not\s+)?null\b/i, 'whether a value is there is $exists( )'],
  [/\b(?:like|matches)\b/i, 'a text matches a pattern if $contains(text, /pattern/)'],
  [/\.\.\./, 'objects are joined by $merge([a, b]), lists by $append(a, b)'],
  [/\*\*/, 'a power is $power(a, b)'],
  [/\+\+|--|[+*/-]=/, 'nothing is changed in place'],
  [/\bnew\s/, 'the time is $now() as a text, $millis() as a number'],
  [/\b(?:const|let|var)\s/, 'a variable is bound in parentheses: ($x := 1; $x + 1)'],
  [/\breturn\b/, 'the value of an expression needs no return'],
  [/\bif\s*\(/, '"if" is written condition ? a : b'],
  [/\|/, 'a function is applied by ~>, as in body.name ~> $uppercase'],
  [/\/\//, 'a comment is written /* … */'],
];

const describeForeignOperators = (expression: string): string => {
  const code = expression.replace(QUOTED, '');
  const found = foreignOperators
    .map(([operator, hint]) => ({ at: code.search(operator), hint }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at);
  return found.length === 0 ? '' : `; in JSONata, ${found.map(({ hint }) => hint).join(', ')}`;
};
