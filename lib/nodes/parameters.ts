import type { JsonObject, JsonValue } from '../contract/json.ts';

/** The types of JSON Schema. */
interface Types {
  readonly string: string;
  readonly boolean: boolean;
  readonly number: number;
  readonly integer: number;
  readonly object: JsonObject;
  readonly array: readonly JsonValue[];
}

const typeNames: Readonly<Record<keyof Types, string>> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'an integer',
  object: 'a map',
  array: 'a list',
};

/** The keywords of a parameter's schema that are checked in a run. */
interface Rule {
  readonly type?: keyof Types;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: JsonValue;
  readonly description?: string;
}

type Rules = Readonly<Record<string, Rule>>;

type ValueOf<Given extends Rule> = Given extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : Given extends { readonly type: infer Type extends keyof Types }
    ? Types[Type]
    : JsonValue | undefined;

/**
 * The resolved parameters of a node, with defaults; a type without a default makes one required. The properties of the
 * node type's schema are checked again: when the workflow was stored, the results of expressions were not known.
 *
 * @throws TypeError or RangeError with the type of the value, but not the value, which may be secret
 */
export const readParameters = <const Given extends Rules>(
  parameters: JsonObject,
  properties: Given,
): { readonly [Name in keyof Given]: ValueOf<Given[Name]> } => {
  const values = Object.entries<Rule>(properties).map(([name, rule]) => {
    const value = parameters[name] === undefined ? rule.default : parameters[name];
    checkParameter(name, rule, value);
    return [name, value];
  });
  return Object.fromEntries(values);
};

const checkParameter = (name: string, rule: Rule, value: JsonValue | undefined): void => {
  if (!isOfType(rule, value)) throw wrongParameter(name, describeRule(rule), value);
  if (typeof value !== 'number') return;
  const { type, minimum = value, maximum = value } = rule;
  if (value < minimum || value > maximum || (type === 'integer' && !Number.isInteger(value)))
    throw new RangeError(`Parameter "${name}" must be ${describeRule(rule)}, got another number`);
};

const isOfType = ({ type, enum: choices }: Rule, value: JsonValue | undefined): boolean => {
  if (choices !== undefined) return choices.some((choice) => choice === value);
  return type === undefined || typeOf(value) === (type === 'integer' ? 'number' : type);
};

const describeRule = ({ type, enum: choices = [], minimum, maximum }: Rule): string => {
  if (type === undefined || choices.length > 0) return `one of ${choices.join(', ')}`;
  return minimum === undefined ? typeNames[type] : `${typeNames[type]} from ${minimum} to ${maximum}`;
};

export const wrongParameter = (name: string, expected: string, value: JsonValue | undefined): TypeError =>
  new TypeError(`Parameter "${name}" must be ${expected}, got ${typeOf(value)}`);

const typeOf = (value: JsonValue | undefined): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

export const isJsonMap = (value: JsonValue | undefined): value is JsonObject => typeOf(value) === 'object';
