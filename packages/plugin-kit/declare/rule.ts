import type { JsonValue } from '../contract/json.ts';

type TypeName = 'string' | 'boolean' | 'number' | 'integer' | 'object' | 'array' | 'null';

/** The JSON Schema keywords that the schema of a parameter may have, in addition to annotations. */
export interface Rule {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly anyOf?: readonly Rule[];
  readonly oneOf?: readonly Rule[];
  readonly not?: Rule;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: Rule;
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Rule;
  readonly default?: JsonValue;
  /**
   * The value of an expression without a result, if leaving it out would mean something else: `null` for a value with a
   * place in a list. Not a keyword of JSON Schema.
   */
  readonly withoutResult?: JsonValue;
  /** Part of the error message of a `pattern`. */
  readonly description?: string;
}

const typeNames: Readonly<Record<TypeName, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

/** The type of a value, for messages, since the value may be secret. */
export const typeOf = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The types that a rule accepts; null for all. */
export const typesOf = ({ type }: Rule): readonly TypeName[] | null => {
  if (type === undefined) return null;
  return typeof type === 'string' ? [type] : type;
};

/** What a rule requires, as the end of a sentence. */
export const describeRule = (rule: Rule): string => {
  const { enum: choices, const: constant, anyOf = rule.oneOf, not, required } = rule;
  if (choices !== undefined) return `one of ${choices.map(valueToText).join(', ')}`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (anyOf !== undefined)
    return anyOf.map(describeRule).join(rule.oneOf === undefined ? ' or ' : ' or else ');
  const types =
    typesOf(rule)
      ?.map((type) => typeNames[type])
      .join(' or ') ?? (required === undefined ? 'any JSON' : `a map with ${required.join(', ')}`);
  return `${types}${describeBounds(rule)}${not === undefined ? '' : `, but not ${describeRule(not)}`}`;
};

const valueToText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const describeBounds = (rule: Rule): string => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, description } = rule;
  const bounds = [
    describeRange(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? '' : ` below ${exclusiveMaximum}`,
    describeRange(rule.minLength, rule.maxLength, ' characters'),
    describeRange(rule.minItems, rule.maxItems, ' items'),
    pattern === undefined ? '' : ` that matches ${pattern}`,
    pattern === undefined || description === undefined ? '' : ` (${description})`,
  ];
  return bounds.join('');
};

const describeRange = (least: number | undefined, most: number | undefined, unit: string): string => {
  if (least !== undefined && most !== undefined)
    return ` ${unit === '' ? 'from' : 'of'} ${least} to ${most}${unit}`;
  if (least !== undefined) return ` of at least ${least}${unit}`;
  return most === undefined ? '' : ` of at most ${most}${unit}`;
};
