import { hasMembers, roundNumber } from '@hookloom/counted-jsonata/values';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describeExecution, NO_VARIABLES, type Scope } from './scope.ts';

/** The result if only JSONata's evaluator can decide: lists that are mapped over, errors, large values. */
export const NEEDS_JSONATA = Symbol('needs JSONata');

/** The value of an expression: undefined for a path that leads nowhere; null is data. */
type Value = JsonValue | undefined;

/** A compiled expression without errors of its own. */
type Compiled = (scope: Scope) => Value | typeof NEEDS_JSONATA;

/** How many characters or items operators read here. Larger values count against the evaluator's budget. */
const LARGE = 1_000;

interface Operator {
  /**
   * Precedence of the operators, as in JSONata's parser: higher ones are evaluated first. All operators are
   * left-associative.
   */
  readonly precedence: number;
  readonly combine: (left: Compiled, right: Compiled) => Compiled;
}

/** Compiles an operator that evaluates both operands. */
const binary =
  (apply: (left: Value, right: Value, scope: Scope) => Value | typeof NEEDS_JSONATA): Operator['combine'] =>
  (left, right) =>
  (scope) => {
    const first = left(scope);
    if (first === NEEDS_JSONATA) return NEEDS_JSONATA;
    const second = right(scope);
    return second === NEEDS_JSONATA ? NEEDS_JSONATA : apply(first, second, scope);
  };

/** Evaluates the right operand unless the left one decides. */
const logical =
  (decisive: boolean): Operator['combine'] =>
  (left, right) =>
  (scope) => {
    const first = toBoolean(left(scope));
    return first === NEEDS_JSONATA || first === decisive ? first : toBoolean(right(scope));
  };

const toBoolean = (value: Value | typeof NEEDS_JSONATA): boolean | typeof NEEDS_JSONATA => {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return Number.isFinite(value) ? value !== 0 : NEEDS_JSONATA;
    case 'object':
      if (value === null) return false;
      return Array.isArray(value) ? NEEDS_JSONATA : hasMembers(value);
    case 'undefined':
      return false;
    default:
      return NEEDS_JSONATA;
  }
};

const isLarge = (value: Value): boolean => typeof value === 'string' && value.length > LARGE;

const isStructure = (value: Value): boolean => typeof value === 'object' && value !== null;

const equality = (whenEqual: boolean) =>
  binary((left, right) => {
    if (left === undefined || right === undefined) return false;
    if ((isStructure(left) && isStructure(right)) || (isLarge(left) && isLarge(right))) return NEEDS_JSONATA;
    return (left === right) === whenEqual;
  });

type Order = (left: string | number, right: string | number) => boolean;

const isComparable = (value: Value): value is string | number | undefined =>
  value === undefined || typeof value === 'number' || (typeof value === 'string' && value.length <= LARGE);

const comparison = (compare: Order) =>
  binary((left, right) => {
    if (!isComparable(left) || !isComparable(right)) return NEEDS_JSONATA;
    if (left === undefined || right === undefined) return undefined;
    return typeof left === typeof right ? compare(left, right) : NEEDS_JSONATA;
  });

const arithmetic = (calculate: (left: number, right: number) => number) =>
  binary((left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = calculate(left, right);
      return Number.isFinite(result) ? result : NEEDS_JSONATA;
    }
    const isMissing =
      (left === undefined && (right === undefined || typeof right === 'number')) ||
      (right === undefined && typeof left === 'number');
    return isMissing ? undefined : NEEDS_JSONATA;
  });

const textOfOperand = (value: Value): string | typeof NEEDS_JSONATA => {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(roundNumber(value)) : NEEDS_JSONATA;
  return isStructure(value) ? NEEDS_JSONATA : String(value);
};

const concatenate = binary((left, right, { needsParts }) => {
  if (needsParts && ((left ?? null) === null || (right ?? null) === null)) return undefined;
  const head = textOfOperand(left);
  const tail = textOfOperand(right);
  if (head === NEEDS_JSONATA || tail === NEEDS_JSONATA) return NEEDS_JSONATA;
  return isLarge(head) && isLarge(tail) ? NEEDS_JSONATA : head + tail;
});

const membership = binary((item, list) => {
  if (item === undefined || list === undefined) return false;
  if (isLarge(item)) return NEEDS_JSONATA;
  if (!Array.isArray(list)) return item === list;
  return list.length > LARGE ? NEEDS_JSONATA : list.some((candidate) => candidate === item);
});

const operators: ReadonlyMap<string, Operator> = new Map([
  ['*', { precedence: 60, combine: arithmetic((left, right) => left * right) }],
  ['/', { precedence: 60, combine: arithmetic((left, right) => left / right) }],
  ['%', { precedence: 60, combine: arithmetic((left, right) => left % right) }],
  ['+', { precedence: 50, combine: arithmetic((left, right) => left + right) }],
  ['-', { precedence: 50, combine: arithmetic((left, right) => left - right) }],
  ['&', { precedence: 50, combine: concatenate }],
  ['=', { precedence: 40, combine: equality(true) }],
  ['!=', { precedence: 40, combine: equality(false) }],
  ['<', { precedence: 40, combine: comparison((left, right) => left < right) }],
  ['<=', { precedence: 40, combine: comparison((left, right) => left <= right) }],
  ['>', { precedence: 40, combine: comparison((left, right) => left > right) }],
  ['>=', { precedence: 40, combine: comparison((left, right) => left >= right) }],
  ['in', { precedence: 40, combine: membership }],
  ['and', { precedence: 30, combine: logical(false) }],
  ['or', { precedence: 25, combine: logical(true) }],
]);

/** Bounds the steps and the depth of a simple expression, so that none comes close to the evaluator's budget. */
const LONGEST = 1_000;

/** Compiles paths, literals, operators and parentheses without JSONata; null for any other expression. */
export const compileSimple = (text: string): Compiled | null => {
  const tokens = text.length > LONGEST ? null : tokenizeSimple(text);
  return tokens === null ? null : parseSimple(tokens);
};

export interface Token {
  readonly kind: 'number' | 'variable' | 'word' | 'name' | 'string' | 'symbol';
  readonly text: string;
}

/** JSONata ends words and numbers only at whitespace and operators: `a"b"` is one word. */
const END = String.raw`(?=[ \t\n\r\v.=!<>&+\-*/%()]|$)`;
const TOKEN = new RegExp(
  [
    String.raw`[ \t\n\r\v]*(?:`,
    String.raw`(?<number>(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?)${END}|`,
    String.raw`(?<variable>\$(?:\$|nodes|trigger|execution|vars)?)${END}|`,
    String.raw`(?<word>[A-Za-z_]\w*)${END}|`,
    '`(?<name>[^`]+)`|',
    String.raw`"(?<double>[^"\\]*)"|'(?<single>[^'\\]*)'|`,
    String.raw`(?<symbol>[!<>]=|[.=<>&+\-*/%()]))`,
  ].join(''),
  'y',
);

/** @returns null if the text has tokens of other expressions */
export const tokenizeSimple = (text: string): Token[] | null => {
  const tokens: Token[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const { number, variable, word, name, double, single, symbol } = TOKEN.exec(text)?.groups ?? {};
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (variable !== undefined) tokens.push({ kind: 'variable', text: variable });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    else if (double !== undefined || single !== undefined)
      tokens.push({ kind: 'string', text: double ?? single ?? '' });
    else return null;
  }
  return tokens;
};

const constants: ReadonlyMap<string, Value> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
/** Words that JSONata does not treat as names. */
const keywords = new Set([...constants.keys(), 'and', 'or', 'in', 'function']);

/** Whether a word of an expression is not a name. */
export const isKeyword = (word: string): boolean => keywords.has(word);

/** Parses by precedence, as JSONata's parser does (Pratt); null for what is not in the subset. */
const parseSimple = (tokens: readonly Token[]): Compiled | null => {
  let at = 0;

  const take = (symbol: string): boolean => {
    const isNext = tokens[at]?.kind === 'symbol' && tokens[at]?.text === symbol;
    if (isNext) at++;
    return isNext;
  };
  const nextOperator = () => {
    const token = tokens[at];
    return token?.kind === 'symbol' || token?.kind === 'word' ? operators.get(token.text) : undefined;
  };

  const parseExpression = (precedence: number): Compiled | null => {
    let left = parseTerm();
    for (let operator = nextOperator(); left !== null; operator = nextOperator()) {
      if (operator === undefined || operator.precedence <= precedence) return left;
      at++;
      const right = parseExpression(operator.precedence);
      left = right === null ? null : operator.combine(left, right);
    }
    return null;
  };

  const parseTerm = (): Compiled | null => {
    if (take('(')) {
      const inner = parseExpression(0);
      return take(')') ? inner : null;
    }
    const sign = take('-') ? -1 : 1;
    const token = tokens[at++];
    if (token?.kind === 'number') return constant(sign * Number(token.text));
    if (token === undefined || sign < 0 || token.kind === 'symbol') return null;
    if (token.kind === 'string') return constant(token.text);
    if (token.kind === 'variable') return parsePath(roots[token.text], []);
    if (token.kind === 'name' || !keywords.has(token.text)) return parsePath(readInput, [token.text]);
    const value = constants.get(token.text);
    return value === undefined ? null : constant(value);
  };

  const parsePath = (root: Compiled | undefined, names: string[]): Compiled | null => {
    while (take('.')) {
      const token = tokens[at++];
      const isName = token?.kind === 'name' || (token?.kind === 'word' && !keywords.has(token.text));
      if (!isName) return null;
      names.push(token.text);
    }
    return root === undefined ? null : compilePath(root, names);
  };

  const compiled = parseExpression(0);
  return at === tokens.length ? compiled : null;
};

const constant =
  (value: Value): Compiled =>
  () =>
    value;

const readInput: Compiled = ({ input }: Scope) => input;

const roots: Readonly<Record<string, Compiled>> = {
  $: readInput,
  $$: readInput,
  $nodes: ({ nodes }) => nodes,
  $trigger: ({ trigger }) => trigger,
  $item: ({ item }) => item,
  $execution: ({ execution }) => describeExecution(execution),
  $vars: ({ variables = NO_VARIABLES }) => variables,
};

/** Compiles a path, which follows only own properties. */
const compilePath = (root: Compiled, names: readonly string[]): Compiled => {
  if (names.length === 0) return root;
  return (scope) => {
    let value = root(scope);
    for (const name of names) {
      if (typeof value !== 'object' || value === null) return undefined;
      if (Array.isArray(value)) return NEEDS_JSONATA; // the path is mapped over its items
      value = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
    }
    return value;
  };
};
