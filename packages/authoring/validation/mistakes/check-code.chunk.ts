import { parse } from 'acorn';
import { didYouMean } from '../../../../lib/shared/describe.ts';
import { findNearest } from '../../../../lib/shared/near-name.ts';
import type { Problem } from '../../../../lib/workflows/definition/problem.ts';
import { byName } from '../proposals/by-name.ts';

/** Names that the sandbox provides to code in addition to the language's globals. */
const VALUES = ['$input', '$inputs', '$values', '$execution'] as const;

/** The globals of the sandbox: the ECMAScript globals of its interpreter, and `console`. @internal */
export const SANDBOX_GLOBALS: readonly string[] = [
  ...['Object', 'Function', 'Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError'],
  ...['URIError', 'InternalError', 'AggregateError', 'Iterator', 'Array', 'parseInt', 'parseFloat', 'isNaN'],
  ...['isFinite', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape'],
  ...['Infinity', 'NaN', 'undefined', 'Number', 'Boolean', 'String', 'Math', 'Reflect', 'Symbol', 'eval'],
  ...['globalThis', 'Date', 'RegExp', 'JSON', 'Proxy', 'Map', 'Set', 'WeakMap', 'WeakSet', 'ArrayBuffer'],
  ...['SharedArrayBuffer', 'Uint8ClampedArray', 'Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array'],
  ...['Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array'],
  ...['Float64Array', 'DataView', 'Promise', 'BigInt', 'WeakRef', 'FinalizationRegistry'],
  'console',
];

const FORMAT =
  'format dates with a dateTime node, or dates and numbers with $fromMillis and $formatNumber in an expression of "values"';

/** What to use instead of names from other systems. */
const advice = byName([
  ['fetch XMLHttpRequest axios $http', 'use an httpRequest node, and read its output'],
  ['$nodes $node $trigger $items $', 'pass data of other nodes in "values", and read it as $values'],
  ['$json items $item input event msg', 'the input of the node is $input; did you mean "$input"?'],
  ['require module exports import', 'it has only the language, no modules'],
  ['process', 'it has no environment; pass what the code needs in "values"'],
  ['setTimeout setInterval', 'to wait, use a wait node'],
  ['Buffer', 'for bytes, use Uint8Array'],
  ['atob', 'decode in an expression, with $base64decode'],
  ['btoa', 'encode in an expression, with $base64encode'],
  ['crypto', 'use a crypto node'],
  ['Intl', FORMAT],
]);

/** Methods that take languages and options elsewhere, with the place of those among the arguments. */
const LOCALE_METHODS: ReadonlyMap<unknown, number> = new Map([
  ...['String', 'DateString', 'TimeString', 'UpperCase', 'LowerCase'].map(
    (what) => [`toLocale${what}`, 0] as const,
  ),
  ['localeCompare', 1],
]);

/** Maximum number of problems per program. */
const MAX_PROBLEMS = 5;

/**
 * Finds names that the sandbox does not have, and code that returns nothing, which makes the output empty. A name counts
 * as declared when any scope declares it.
 */
export const checkCode = (code: string, path: string): Problem[] => {
  let program: Ast;
  try {
    program = parse(code, {
      ecmaVersion: 'latest',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    }) as object as Ast;
  } catch {
    return []; // reported by the node type
  }
  const found: Findings = { declared: new Set(), read: new Set(), localised: new Set(), returns: false };
  visit(program, found, false);
  const known = new Set([...found.declared, ...VALUES, ...SANDBOX_GLOBALS]);
  const problems = [...found.read]
    .filter((name) => !known.has(name))
    .slice(0, MAX_PROBLEMS)
    .map((name) => {
      const hint = advice.get(name);
      const near = hint === undefined ? findNearest(name, [...found.declared, ...VALUES]) : null;
      const about = `the sandbox has no ${name}`;
      return hint === undefined ? `${about}${didYouMean(near)}` : `${about}: ${hint}`;
    });
  for (const name of found.localised)
    problems.push(
      `the sandbox knows no languages and time zones, so ${name} fails with arguments for them: ${FORMAT}`,
    );
  if (!found.returns) problems.push('returns nothing, so the output is empty: end with return { … }');
  return problems.map((message) => ({ path, message, severity: 'warning' }));
};

/** A node of the syntax tree (ESTree). */
type Ast = Readonly<Record<string, unknown>> & { readonly type: string };

interface Findings {
  readonly declared: Set<string>;
  readonly read: Set<string>;
  /** Methods that are given languages or options. */
  readonly localised: Set<string>;
  returns: boolean;
}

const isAst = (value: unknown): value is Ast =>
  typeof value === 'object' && value !== null && typeof (value as Ast).type === 'string';

/** Parts that name something other than a variable. */
const NAMES_OF: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
};

const isFunction = ({ type }: Ast): boolean => type.includes('Function');

const visit = (node: Ast, found: Findings, isInFunction: boolean): void => {
  const { type } = node;
  if (type === 'Identifier') {
    found.read.add(String(node.name));
    return;
  }
  if (type === 'UnaryExpression' && node.operator === 'typeof' && isName(node.argument)) return;
  if (type === 'CallExpression' && isAst(node.callee) && Array.isArray(node.arguments)) {
    const { property } = node.callee;
    const name = isAst(property) ? property.name : null;
    if (node.arguments.length > (LOCALE_METHODS.get(name) ?? Number.POSITIVE_INFINITY))
      found.localised.add(String(name));
  }
  if (type === 'ImportExpression') found.read.add('import');
  if (type === 'ReturnStatement' && !isInFunction && node.argument !== null) found.returns = true;
  if (type === 'ThrowStatement' && !isInFunction) found.returns = true;
  if (type === 'VariableDeclarator' || type.startsWith('Class')) declare(node.id, found);
  if (type === 'CatchClause') declare(node.param, found);
  if (isFunction(node)) {
    declare(node.id, found);
    declare(node.params, found);
    if (type !== 'ArrowFunctionExpression') found.declared.add('arguments');
  }
  const skipped = node.computed === true ? [] : (NAMES_OF[type] ?? []);
  for (const [key, value] of Object.entries(node)) {
    if (skipped.includes(key)) continue;
    for (const inner of Array.isArray(value) ? value : [value])
      if (isAst(inner)) visit(inner, found, isInFunction || isFunction(node));
  }
};

const isName = (value: unknown): boolean => isAst(value) && value.type === 'Identifier';

const declare = (pattern: unknown, found: Findings): void => {
  if (Array.isArray(pattern)) for (const part of pattern) declare(part, found);
  if (!isAst(pattern)) return;
  if (pattern.type === 'Identifier') found.declared.add(String(pattern.name));
  const { elements, properties, argument, left, value } = pattern;
  for (const part of [elements, properties, argument, left, value]) declare(part, found);
};
