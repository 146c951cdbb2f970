import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import {
  type Scalar,
  type ScalarTest,
  type TextOperator,
  toLiteralTest,
  toNetworkTest,
  toNumericTest,
  toTextTest,
} from './scalar-tests.ts';

/** What a pattern requires of one field. */
export interface Leaf {
  /** Whether a value matches one of the wanted values. */
  readonly matches: ScalarTest;
  /** Whether a missing field matches. */
  readonly acceptsAbsence: boolean;
}

/** @param wanted - an array of a pattern without problems */
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
        toList(texts).map((text) => toTextTest(operator as TextOperator, text)),
      )
    : toList(operand).map(
        (value): ScalarTest =>
          (other) =>
            other === value,
      );
  return (value) => !excluded.some((test) => test(value));
};

const toList = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : [value]);
