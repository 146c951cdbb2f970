import { asFinal } from '../contract/errors.ts';
import { type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';
import type { ValueOf } from './type.ts';

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
  /**
   * `fail`: the text addresses something, such as a key, a path or a recipient. In format 2 of workflow files, the node fails
   * if an expression in it gives nothing. Of a map or a list, it is about all texts within, or those at the keys of a map that
   * it lists. Not a keyword of JSON Schema.
   */
  readonly holes?: 'fail' | readonly string[];
  /**
   * For a value that data should determine, such as a key or a condition: whether one without data is refused when a workflow is
   * stored, or warned of. Not a keyword of JSON Schema.
   */
  readonly constant?: 'refuse' | 'warn';
  /** Part of the error message of a `pattern`. */
  readonly description?: string;
}

/** Checks a value and fills in its defaults. @throws TypeError or RangeError that names its place */
type Read = (value: JsonValue, place: string) => JsonValue;

/**
 * Compiles a schema to a function that checks resolved parameters and fills in defaults. The keywords of {@link Rule}
 * mean the same here, during a run, as when a workflow is stored; `nodeTypeChecks` reports all others.
 * @returns a function that throws TypeError or RangeError with the name of the parameter and the type of its value, but
 * not the value, which may be secret
 */
export const createReader = (schema: object): ((parameters: JsonObject) => JsonObject) => {
  const read = createRead({ ...schema, type: 'object', additionalProperties: false });
  return (parameters) => read(parameters, '') as JsonObject;
};

const readers = new WeakMap<object, (parameters: JsonObject) => JsonObject>();

/**
 * Reads resolved parameters by the properties of a schema, for a node type that is not declared with the kit. A
 * parameter without a default is required, and no other parameters are read.
 * @throws TypeError or RangeError with the name of the parameter and the type of its value
 */
export const readParameters = <const Properties extends Readonly<Record<string, Rule>>>(
  parameters: JsonObject,
  properties: Properties,
): { readonly [Name in keyof Properties]: Given<Properties[Name]> } => {
  let read = readers.get(properties);
  if (read === undefined) {
    const required = Object.keys(properties).filter((name) => !takesAnyType(properties[name] ?? {}));
    read = createReader({ properties, required });
    readers.set(properties, read);
  }
  return read(parameters) as never;
};

type Given<Property> = Property extends { readonly type: 'array'; readonly items?: never }
  ? readonly JsonValue[]
  : Property extends { readonly type: unknown } | { readonly enum: unknown }
    ? ValueOf<Property>
    : JsonValue | undefined;

const takesAnyType = ({ type, enum: choices }: Rule): boolean => type === undefined && choices === undefined;

/**
 * The error for a parameter of the wrong type, after which the node is not tried again. It names only the type, since the
 * value may be secret.
 */
export const wrongParameter = (place: string, expected: string, value: JsonValue | undefined): TypeError =>
  asFinal(new TypeError(`${namePlace(place)} must be ${expected}, got ${jsonTypeOf(value)}`));

const wrongValue = (place: string, rule: Rule, what: string): RangeError =>
  asFinal(new RangeError(`${namePlace(place)} must be ${describeRule(rule)}, got another ${what}`));

const namePlace = (place: string): string => (place === '' ? 'The parameters' : `Parameter "${place}"`);

const createRead = (rule: Rule): Read => {
  const readOwn = createReadOwn(rule);
  const { anyOf, oneOf, not } = rule;
  if (anyOf === undefined && oneOf === undefined && not === undefined) return readOwn;
  const branches = (anyOf ?? oneOf)?.map(createRead);
  const readOther = not === undefined ? null : createRead(not);
  const hasShape = rule.properties !== undefined || rule.items !== undefined;
  return (value, place) => {
    const own = readOwn(value, place);
    if (readOther !== null && tryRead(readOther, value, place) !== null)
      throw wrongValue(place, rule, jsonTypeOf(value));
    if (branches === undefined) return own;
    let taken: Taken | null = null;
    for (const branch of branches) {
      const found = tryRead(branch, value, place);
      if (found !== null && taken !== null) throw wrongValue(place, rule, jsonTypeOf(value)); // of oneOf
      taken ??= found;
      if (taken !== null && anyOf !== undefined) break;
    }
    if (taken === null) throw wrongParameter(place, describeRule(rule), value);
    return hasShape ? own : taken.value;
  };
};

interface Taken {
  /** The value with the defaults of the branch. */
  readonly value: JsonValue;
}

/** Reads a value; null if it does not match. */
const tryRead = (read: Read, value: JsonValue, place: string): Taken | null => {
  try {
    return { value: read(value, place) };
  } catch {
    return null;
  }
};

const createReadOwn = (rule: Rule): Read => {
  const { enum: choices, const: constant, items } = rule;
  const limitsLength = rule.minLength !== undefined || rule.maxLength !== undefined;
  // Whether a number is whole is checked with its range.
  const types = typesOf(rule)?.map((type): string => (type === 'integer' ? 'number' : type));
  const pattern = rule.pattern === undefined ? null : new RegExp(rule.pattern, 'u');
  const readItem = items === undefined ? null : createRead(items);
  const readFields = createReadFields(rule);
  return (value, place) => {
    const type = jsonTypeOf(value);
    const isOfType =
      (types === undefined || types.includes(type)) &&
      (choices === undefined || choices.some((choice) => jsonEquals(choice, value))) &&
      (constant === undefined || jsonEquals(constant, value));
    if (!isOfType) throw wrongParameter(place, describeRule(rule), value);
    if (typeof value === 'number' && !isInRange(rule, value)) throw wrongValue(place, rule, 'number');
    if (typeof value === 'string') {
      if (limitsLength && !hasLength(value, rule)) throw wrongValue(place, rule, 'length');
      if (pattern !== null && !matchesPattern(pattern, value)) throw wrongValue(place, rule, 'string');
    }
    if (Array.isArray(value)) {
      if (!isWithin(value.length, rule.minItems, rule.maxItems)) throw wrongValue(place, rule, 'length');
      return readItem === null ? value : value.map((item, index) => readItem(item, `${place}[${index}]`));
    }
    return type === 'object' && readFields !== null ? readFields(value as JsonObject, place) : value;
  };
};

/** The length of a text is counted in characters (RFC 8259 §7), of which each has one or two UTF-16 units. */
const hasLength = (text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Rule): boolean => {
  if (text.length < minLength || text.length > 2 * maxLength) return false;
  if (text.length >= 2 * minLength && text.length <= maxLength) return true;
  let length = 0;
  for (const _character of text) length += 1;
  return isWithin(length, minLength, maxLength);
};

/**
 * Longest text that a pattern is matched against, since a plugin's pattern may backtrack, and the text may come from a
 * caller.
 */
const MAX_MATCHED_LENGTH = 8_192;

const matchesPattern = (pattern: RegExp, text: string): boolean =>
  text.length <= MAX_MATCHED_LENGTH && pattern.test(text);

const isInRange = (rule: Rule, value: number): boolean =>
  isWithin(value, rule.minimum, rule.maximum) &&
  value > (rule.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
  value < (rule.exclusiveMaximum ?? Number.POSITIVE_INFINITY) &&
  (Number.isInteger(value) || !isWhole(typesOf(rule)));

const isWhole = (types: readonly string[] | null): boolean =>
  types?.includes('integer') === true && !types.includes('number');

const isWithin = (
  value: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): boolean => value >= least && value <= most;

/** Reads the fields of an object; null if there is nothing to check in it. */
const createReadFields = ({
  properties = {},
  required = [],
  additionalProperties = true,
}: Rule): ((value: JsonObject, place: string) => JsonObject) | null => {
  const readOther = typeof additionalProperties === 'object' ? createRead(additionalProperties) : null;
  const fields = Object.entries(properties).map(
    ([name, rule]) => [name, rule, createRead(rule), required.includes(name)] as const,
  );
  const known = new Set(Object.keys(properties));
  const others = required.filter((name) => !known.has(name));
  if (fields.length + others.length === 0 && additionalProperties === true) return null;
  return (value, place) => {
    const before = place === '' ? '' : `${place}.`;
    const result: Record<string, JsonValue> = {};
    for (const [name, rule, read, isRequired] of fields) {
      const given = Object.hasOwn(value, name) ? value[name] : rule.default;
      if (given !== undefined) setOwn(result, name, read(given, before + name));
      else if (isRequired) throw wrongParameter(before + name, describeRule(rule), undefined);
    }
    for (const name of others)
      if (!Object.hasOwn(value, name)) throw wrongParameter(before + name, describeRule({}), undefined);
    for (const [name, other] of Object.entries(value)) {
      if (known.has(name) || (additionalProperties === false && place === '')) continue; // checked when it was stored
      if (additionalProperties === false) throw wrongParameter(before + name, 'absent', other);
      setOwn(result, name, readOther === null ? other : readOther(other, before + name));
    }
    return result;
  };
};

/** Sets an own property, even for the key `__proto__`. Faster than `Object.fromEntries`. */
const setOwn = (target: Record<string, JsonValue>, name: string, value: JsonValue): void => {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
};

/** Whether a value is a JSON object. */
export const isJsonMap = (value: JsonValue | undefined): value is JsonObject =>
  jsonTypeOf(value) === 'object';

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
const jsonTypeOf = (value: JsonValue | undefined): string => {
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
const describeRule = (rule: Rule): string => {
  const { enum: choices, const: constant, anyOf = rule.oneOf, not, required } = rule;
  if (choices !== undefined) return `one of ${choices.map(textOfValue).join(', ')}`;
  if (constant !== undefined) return JSON.stringify(constant);
  if (anyOf !== undefined)
    return anyOf.map(describeRule).join(rule.oneOf === undefined ? ' or ' : ' or else ');
  const types =
    typesOf(rule)
      ?.map((type) => typeNames[type])
      .join(' or ') ?? (required === undefined ? 'any JSON' : `a map with ${required.join(', ')}`);
  return `${types}${describeBounds(rule)}${not === undefined ? '' : `, but not ${describeRule(not)}`}`;
};

const textOfValue = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

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
