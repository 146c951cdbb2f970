import { type Node, suggestPicture } from '@hookloom/counted-jsonata';
import { ERROR_OUTPUT, isPlainObject } from '@hookloom/plugin-kit';
import { branchesOf, fieldSchema, isUnknown } from '@hookloom/plugin-kit/host';
import { didYouMean, quote, quoteAll } from '../../../../lib/shared/describe.ts';
import type { Rule } from '../../../../lib/workflows/expressions/parameters.ts';
import { correct, type Finding } from '../proposals/correction.ts';
import {
  type DoubtfulField,
  inferExpression,
  type MissingField,
  type TypeScope,
  type WrongOperand,
} from '../types/infer-expression.ts';
import { parse } from '../types/parse.ts';
import { isHeaders, isSequence, mayBe, namesOf, type Type, typeNameOf } from '../types/types.ts';
import { findHabits } from './check-habits.ts';
import { findTraps } from './check-traps.ts';
import { readDashed } from './describe-names.ts';
import { type Names, toName, toPath } from './names.ts';
import { nodesOf } from './syntax-tree.ts';

interface Check {
  readonly text: string;
  readonly names: Names;
  readonly typeOf: ReadonlyMap<Node, Type>;
  readonly findings: Map<string, Finding>;
}

/** Maximum number of findings per expression. */
const MAX_FINDINGS = 5;

const NOTHING: TypeScope = { input: {}, trigger: {}, nodeOutput: () => ({}) };

/**
 * Finds fields that an expression reads but that don't exist, and values of types that don't fit, from what is known of the
 * data before any run.
 *
 * @param text - an expression of valid syntax
 * @param rules - of the parameter that gets its value; none if it is part of a text, or not a parameter
 */
export const findTypeProblems = (text: string, names: Names, rules: readonly Rule[]): Finding[] => {
  const { tree } = parse(text);
  const inference = inferExpression(tree, names.types ?? NOTHING, names.natives);
  const { type, typeOf, missing, wrong, doubtful } = inference;
  const check: Check = { text, names, typeOf, findings: new Map() };
  // One item instead of a list goes unnoticed where any JSON is accepted.
  if (rules.length > 0 && rules.every((rule) => rule.type === undefined)) checkFlow(check, tree, true);
  for (const field of missing) reportMissing(check, field);
  for (const operand of wrong) reportOperand(check, operand);
  const isAsked = doubtful.some(({ name }) => name === ERROR_OUTPUT);
  for (const field of isAsked ? [] : doubtful) reportDoubtful(check, field);
  for (const node of nodesOf(tree)) {
    if (node.type === 'binary') checkComparison(check, node);
    if (node.type === 'function') checkCall(check, node);
    if (node.type === 'path') checkHeaders(check, node);
  }
  checkFit(check, tree, type, rules);
  const traps = { scope: names.types ?? NOTHING, natives: names.natives, typeOf };
  for (const found of [...findTraps(tree, traps), ...findHabits(tree, traps)])
    check.findings.set(found.message, found);
  return [...check.findings.values()].slice(0, MAX_FINDINGS);
};

type Corrected = Pick<Finding, 'correction' | 'types'>;

const report = ({ findings }: Check, message: string, corrected: Corrected = {}): void => {
  findings.set(message, { message, ...corrected });
};

const warn = ({ findings }: Check, message: string, corrected: Corrected = {}): void => {
  findings.set(message, { message, severity: 'warning', ...corrected });
};

const reportMissing = (check: Check, { path, step, of }: MissingField): void => {
  const { names } = check;
  const { steps } = path;
  const at = steps.indexOf(step);
  const name = String((step as { readonly value: unknown }).value);
  // These are reported with what other tools call them.
  if (at === 0 && names.fields !== null) return;
  if (at === 1 && isVariable(steps[0], 'trigger') && names.triggerFields !== null) return;
  const known = namesOf(of) ?? [];
  if (name === 'length' && known.length === 0) return; // reported with what counts items and characters
  const before = joinNames(steps.slice(0, at));
  const near = names.findNearest(name, known);
  const meant = near === null ? null : `${before}${toName(near)}`;
  const corrected = correct(`${before}${toName(name)}`, meant);
  const what = before === '' ? 'the input' : before.slice(0, -1);
  const others = known.length === 0 ? describeFieldless(of) : `but ${quoteAll(known)}`;
  const message = `${what} has no ${quote(name)}, ${others}${didYouMean(meant)}`;
  if (before.endsWith('pathParams.')) report(check, message, corrected);
  else warn(check, message, corrected);
};

/** Reports a field that a node gives only if it has succeeded, or only if it has failed. */
const reportDoubtful = (check: Check, { path, step, name, of, isGuarded }: DoubtfulField): void => {
  const { nodeId, success, failure, keepsInput } = of;
  const before = joinNames(path.steps.slice(0, path.steps.indexOf(step)));
  const field = quote(`${before}${toName(name)}`);
  const ask = `ask for $exists(${before}error) first`;
  const [ifSucceeded, ifFailed] = [fieldSchema(success, name) !== null, fieldSchema(failure, name) !== null];
  if (ifSucceeded && ifFailed) {
    if (keepsInput && declares(success, name))
      warn(
        check,
        `${field} is from the input of ${quote(nodeId)} if that node fails, since its onError passes the input on: ${ask}`,
      );
    return;
  }
  if (isGuarded || (!keepsInput && check.names.types?.asksForErrors === true)) return;
  const passedOn = keepsInput ? 'its input and the error' : '{ error, input }';
  if (ifSucceeded)
    warn(
      check,
      `there is no ${field} if ${quote(nodeId)} fails, since its onError passes on ${passedOn}: ${ask}, or give another value with ??`,
    );
  if (ifFailed) warn(check, `there is no ${field} unless ${quote(nodeId)} fails: ${ask}`);
};

const declares = (type: Type, name: string): boolean =>
  branchesOf(type).some(({ properties }) => isPlainObject(properties) && Object.hasOwn(properties, name));

const describeFieldless = (type: Type): string =>
  mayBe(type, 'object') ? 'nor any other field' : `since it is ${describeType(type)}`;

const isVariable = (node: Node | undefined, name: string): boolean =>
  node?.type === 'variable' && node.value === name;

const joinNames = (steps: readonly Node[]): string =>
  steps
    .map((step) =>
      step.type === 'variable' ? `$${step.value}.` : step.type === 'name' ? `${toName(step.value)}.` : '….',
    )
    .join('');

/** Reports names of headers that no request has. */
const checkHeaders = (check: Check, { steps }: Node & { readonly type: 'path' }): void => {
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1];
    if (before === undefined || step.type !== 'name' || !isHeaders(check.typeOf.get(before) ?? {})) continue;
    const written = readDashed(check.text, step);
    if (written === written.toLowerCase() && written === step.value) continue;
    const meant = toPath(['headers', written.toLowerCase()]);
    report(
      check,
      `${quote(written)} is not a header name here: names are lower case, and those with a dash need backticks${didYouMean(meant)}`,
      correct(`headers.${written}`, meant),
    );
  }
};

/** Warns about a path over a list whose result is used as is. */
const checkFlow = (check: Check, node: Node, isWhole: boolean): void => {
  if (node.type === 'condition')
    for (const branch of [node.then, node.else]) if (branch !== undefined) checkFlow(check, branch, false);
  if (node.type === 'unary' && node.value === '{')
    for (const [, value] of node.lhs) checkFlow(check, value, false);
  if (node.type !== 'path' || !isSequence(check.typeOf.get(node) ?? {})) return;
  const written = isWhole ? `{{ [${check.text}] }}` : `[${pathToText(node) ?? '…'}]`;
  warn(
    check,
    `is a list for several items, the item itself for one, and nothing for none; to always get a list, write ${quote(written)}`,
  );
};

/** The text of a path of plain names; null for any other. */
const pathToText = ({ steps }: Node & { readonly type: 'path' }): string | null => {
  const isPlain = steps.every(
    ({ type, stages, predicate }, at) =>
      (type === 'name' || (type === 'variable' && at === 0)) &&
      stages === undefined &&
      predicate === undefined,
  );
  return isPlain ? joinNames(steps).slice(0, -1) : null;
};

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];

const checkComparison = (check: Check, { value, lhs, rhs }: Node & { readonly type: 'binary' }): void => {
  if (!COMPARISONS.includes(value)) return;
  for (const [side, other] of [
    [lhs, rhs],
    [rhs, lhs],
  ] as const) {
    const type = literalType(other);
    if (type === null) continue;
    if (isNull(side, other)) {
      warn(
        check,
        'compares with null, which matches only an explicit null: a missing field has no value at all; to test whether a field exists, write $exists( )',
      );
    }
    if (side.type === 'path')
      compareWithLiteral(check, value, side, other as Node & { readonly value: unknown }, type);
  }
};

const compareWithLiteral = (
  check: Check,
  operator: string,
  side: Node & { readonly type: 'path' },
  other: Node & { readonly value: unknown },
  type: string,
): void => {
  const found = check.typeOf.get(side) ?? {};
  const path = pathToText(side);
  const literal = JSON.stringify(other.value);
  if (isSequence(found) && type !== 'null') {
    const meant = path === null ? null : `${literal} in ${path}`;
    const corrected = operator === '=' ? correct(`${path} = ${literal}`, meant) : {};
    warn(check, `compares a list with ${literal}${didYouMean(meant)}`, corrected);
  } else if (!isUnknown(found) && ['string', 'number', 'boolean'].includes(type) && !mayBe(found, type)) {
    const compared =
      type === 'string' ? `${path} ${operator} ${other.value}` : `$number(${path}) ${operator} ${literal}`;
    const isNumeric =
      (type === 'number' && mayBe(found, 'string')) ||
      (type === 'string' && mayBe(found, 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(String(other.value)));
    const meant = path !== null && isNumeric ? compared : null;
    warn(
      check,
      `compares ${describeType(found)} with the ${type} ${literal}: they are never equal${didYouMean(meant)}`,
      correct(`${path} ${operator} ${literal}`, meant),
    );
  }
};

const literalType = (node: Node): string | null =>
  node.type === 'string' || node.type === 'number' || node.type === 'value' ? typeNameOf(node.value) : null;

/** Comparisons with null: `x = null`, `$type(x) = "null"`. */
const isNull = (side: Node, other: Node): boolean =>
  (other.type === 'value' && other.value === null) ||
  (side.type === 'function' &&
    isVariable(side.procedure, 'type') &&
    other.type === 'string' &&
    other.value === 'null');

const articles: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

/** The JSON types of a type: `a string or null`. */
export const describeType = (type: Type): string => describeNames(typesOf(type));

const typesOf = (type: Type): readonly string[] => [
  ...new Set(branchesOf(type).map((branch) => String(branch.type))),
];

const describeNames = (names: readonly string[]): string =>
  names.map((name) => articles[name] ?? name).join(' or ');

const reportOperand = (check: Check, { node, operand, accepted, type }: WrongOperand): void => {
  const path = operand.type === 'path' ? pathToText(operand) : null;
  const name =
    node.type === 'function' ? nameOfCall(node) : quote(String((node as { readonly value: unknown }).value));
  const convert =
    accepted.includes('number') && mayBe(type, 'string')
      ? '$number'
      : accepted.includes('string') && mayBe(type, 'number')
        ? '$string'
        : null;
  const meant = path === null || convert === null ? null : `${convert}(${path})`;
  warn(
    check,
    `${name} takes ${describeNames(accepted)}, but ${path ?? 'its operand'} is ${describeType(type)}${didYouMean(meant)}`,
    { types: { accepted, found: typesOf(type) }, ...(path === null ? {} : correct(path, meant)) },
  );
};

const nameOfCall = ({ procedure }: Node & { readonly type: 'function' | 'partial' }): string =>
  procedure.type === 'variable' ? `$${procedure.value}()` : 'the function';

/** Warns about a value that its parameter can't take. A single value becomes a list where one is wanted. */
const checkFit = (check: Check, tree: Node, type: Type, rules: readonly Rule[]): void => {
  const wanted = rules
    .flatMap((rule) => rule.type ?? [])
    .map((name) => (name === 'integer' ? 'number' : String(name)));
  const accepted = [...new Set(wanted)];
  const isOpen =
    rules.length === 0 || rules.some((rule) => rule.type === undefined) || wanted.includes('array');
  if (isOpen || isUnknown(type) || wanted.some((name) => mayBe(type, name))) return;
  const path = tree.type === 'path' ? pathToText(tree) : null;
  const meant =
    path !== null && wanted.includes('string') && !mayBe(type, 'object') && !mayBe(type, 'array')
      ? `$string(${path})`
      : null;
  warn(
    check,
    `is ${describeType(type)}, where the parameter takes ${describeNames(accepted)}${didYouMean(meant)}`,
    { types: { accepted, found: typesOf(type) }, ...(path === null ? {} : correct(path, meant)) },
  );
};

/** Index of the date picture among the arguments. */
const pictures: ReadonlyMap<string, number> = new Map([
  ['now', 0],
  ['fromMillis', 1],
  ['toMillis', 1],
]);

const checkCall = (
  check: Check,
  { procedure, arguments: given }: Node & { readonly type: 'function' | 'partial' },
): void => {
  const at = procedure.type === 'variable' ? pictures.get(procedure.value) : undefined;
  const picture = at === undefined ? undefined : given[at];
  if (picture?.type !== 'string') return;
  const text = String(picture.value);
  const meant = suggestPicture(text);
  if (meant === null) return;
  const hint = meant === '' ? ', as in "[Y0001]-[M01]-[D01]"' : didYouMean(meant);
  report(
    check,
    `${quote(text)} is not a date picture: its parts are written in brackets${hint}`,
    meant === '' ? {} : correct(JSON.stringify(text), JSON.stringify(meant)),
  );
};
