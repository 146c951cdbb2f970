import { isIP } from 'node:net';
import { familyOf, type JsonValue, toBlockList, toNetwork } from '@hookloom/plugin-kit';
import { toWildcardTest } from '../../lib/triggers/event-pattern/wildcard.ts';

/** A value of an event that is no object and no array. */
export type Scalar = string | number | boolean | null;

export type ScalarTest = (value: Scalar) => boolean;

/** Operators that compare with a text. */
export type TextOperator = 'prefix' | 'suffix' | 'equals-ignore-case' | 'wildcard';

/** @param isAlike - called for texts; other values fail the test */
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

/** @param operand - a text; for `prefix` and `suffix` also an object with `equals-ignore-case` */
export const toTextTest = (operator: TextOperator, operand: JsonValue): ScalarTest => {
  if (typeof operand === 'string') return textTests[operator](operand);
  const { 'equals-ignore-case': wanted } = operand as { readonly 'equals-ignore-case': string };
  const folded = wanted.toLowerCase();
  return operator === 'prefix'
    ? forTexts((text) => text.toLowerCase().startsWith(folded))
    : forTexts((text) => text.toLowerCase().endsWith(folded));
};

/** A value that is written as it is. A text that is an IP address stands for the address in any notation, as in event-ruler. */
export const toLiteralTest = (literal: Scalar): ScalarTest =>
  typeof literal === 'string' && isAddress(literal)
    ? toNetworkTest(toNetwork(literal))
    : (value) => value === literal;

/** @param network - in CIDR notation */
export const toNetworkTest = (network: string): ScalarTest => {
  const list = toBlockList([network]);
  return forTexts((text) => isAddress(text) && list.check(text, familyOf(text)));
};

/** What event-ruler takes for an address: no zone, and no IPv6 address that ends in IPv4 notation. */
const isAddress = (text: string): boolean =>
  isIP(text) !== 0 && !text.includes('%') && !(text.includes(':') && text.includes('.'));

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** @param operand - comparisons and bounds in turn, such as `[">", 0, "<=", 5]` */
export const toNumericTest = (operand: readonly JsonValue[]): ScalarTest => {
  const [first, bound, second, top] = operand as readonly [string, number, string?, number?];
  const isWithin = comparisons[first];
  const isBelow = second === undefined ? undefined : comparisons[second];
  return (value) =>
    typeof value === 'number' &&
    isWithin?.(value, bound) === true &&
    (isBelow === undefined || top === undefined || isBelow(value, top));
};
