import { BlockList, isIP } from 'node:net';
import type { JsonObject, JsonValue } from '../../net/json.ts';

/** A value in an event other than an object or array. */
export type Scalar = string | number | boolean | null;

export type ScalarTest = (value: Scalar) => boolean;

type TextOperator = 'prefix' | 'suffix' | 'equals-ignore-case' | 'wildcard';

/** @param isAlike - called for strings; other values fail the test */
const forTexts =
  (isAlike: (text: string) => boolean): ScalarTest =>
  (value) =>
    typeof value === 'string' && isAlike(value);

const textTests: Readonly<Record<TextOperator, (wanted: string) => ScalarTest>> = {
  prefix: (wanted) => forTexts((text) => text.startsWith(wanted)),
  suffix: (wanted) => forTexts((text) => text.endsWith(wanted)),
  'equals-ignore-case': (wanted) => {
    const folded = wanted.toLowerCase();
    return forTexts((text) => text.toLowerCase() === folded);
  },
  wildcard: (wanted) => forTexts(toWildcardTest(wanted)),
};

/** @param operand - a string; for `prefix` and `suffix` also an object with `equals-ignore-case` */
const toTextTest = (operator: TextOperator, operand: JsonValue): ScalarTest => {
  if (typeof operand === 'string') return textTests[operator](operand);
  const { 'equals-ignore-case': wanted } = operand as { readonly 'equals-ignore-case': string };
  const folded = wanted.toLowerCase();
  return operator === 'prefix'
    ? forTexts((text) => text.toLowerCase().startsWith(folded))
    : forTexts((text) => text.toLowerCase().endsWith(folded));
};

/** Matches a literal value. A string that is an IP address matches the address in any notation, as in event-ruler. */
const toLiteralTest = (literal: Scalar): ScalarTest =>
  typeof literal === 'string' && isAddress(literal)
    ? toNetworkTest(`${literal}/${isIP(literal) === 4 ? 32 : 128}`)
    : (value) => value === literal;

/** @param network - in CIDR notation */
const toNetworkTest = (network: string): ScalarTest => {
  const [base = '', bits] = network.split('/');
  const list = new BlockList();
  list.addSubnet(base, Number(bits), familyOf(base));
  return forTexts((text) => isAddress(text) && list.check(text, familyOf(text)));
};

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Whether event-ruler accepts a text as an address: no zone, and no IPv6 address that ends in IPv4 notation. */
const isAddress = (text: string): boolean =>
  isIP(text) !== 0 && !text.includes('%') && !(text.includes(':') && text.includes('.'));

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** @param operand - alternating comparisons and bounds, such as `[">", 0, "<=", 5]` */
const toNumericTest = (operand: readonly JsonValue[]): ScalarTest => {
  const [first, bound, second, top] = operand as readonly [string, number, string?, number?];
  const isWithin = comparisons[first];
  const isBelow = second === undefined ? undefined : comparisons[second];
  return (value) =>
    typeof value === 'number' &&
    isWithin?.(value, bound) === true &&
    (isBelow === undefined || top === undefined || isBelow(value, top));
};

/** What a pattern requires of one field. */
export interface Leaf {
  /** Whether a value matches one of the wanted values. */
  readonly matches: ScalarTest;
  /** Whether the leaf matches a missing field. */
  readonly acceptsAbsence: boolean;
}

/** Makes the leaf of a pattern. @param wanted - an array of a pattern without problems */
export const toLeaf = (wanted: readonly JsonValue[]): Leaf => {
  const tests = wanted.filter((one) => !isAbsence(one)).map(toTest);
  return {
    matches: (value) => tests.some((test) => test(value)),
    acceptsAbsence: wanted.some(isAbsence),
  };
};

const isAbsence = (wanted: JsonValue): boolean => isObject(wanted) && wanted.exists === false;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toTest = (wanted: JsonValue): ScalarTest => {
  if (!isObject(wanted)) return toLiteralTest(wanted as Scalar);
  const [[operator, operand] = ['', null]] = Object.entries(wanted);
  switch (operator) {
    case 'exists':
      return () => true;
    case 'numeric':
      return toNumericTest(operand as readonly JsonValue[]);
    case 'cidr':
      return toNetworkTest(operand as string);
    case 'anything-but':
      return toExclusion(operand);
    default:
      return toTextTest(operator as TextOperator, operand);
  }
};

/** Excludes what `anything-but` names: literal values, or strings that another operator matches. */
const toExclusion = (operand: JsonValue): ScalarTest => {
  const excluded = isObject(operand)
    ? Object.entries(operand).flatMap(([operator, texts]) =>
        listOfValue(texts).map((text) => toTextTest(operator as TextOperator, text)),
      )
    : listOfValue(operand).map(
        (value): ScalarTest =>
          (other) =>
            other === value,
      );
  return (value) => !excluded.some((test) => test(value));
};

const listOfValue = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);

/**
 * Creates a test for strings from a valid wildcard pattern. Each literal piece is matched at its first occurrence,
 * without backtracking.
 *
 * @internal
 */
export const toWildcardTest = (pattern: string): ((text: string) => boolean) => {
  const [first = '', ...others] = splitAtAsterisks(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= end; // no piece reaches into the last one
  };
};

const splitAtAsterisks = (pattern: string): string[] => {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '*') {
      pieces.push(piece);
      piece = '';
      continue;
    }
    if (pattern[at] === '\\') at++;
    piece += pattern[at];
  }
  return [...pieces, piece];
};
