import { asFinal } from '../contract/errors.ts';
import { type JsonObject, type JsonValue, jsonEquals } from '../contract/json.ts';
import { describeRule, type Rule, typeOf, typesOf } from './rule.ts';
import type { ValueOf } from './type.ts';

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
    const required = Object.keys(properties).filter((name) => !isOpen(properties[name] ?? {}));
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

const isOpen = ({ type, enum: choices }: Rule): boolean => type === undefined && choices === undefined;

/**
 * The error for a parameter of the wrong type, after which the node is not tried again. It names only the type, since the
 * value may be secret.
 */
export const wrongParameter = (place: string, expected: string, value: JsonValue | undefined): TypeError =>
  asFinal(new TypeError(`${nameOf(place)} must be ${expected}, got ${typeOf(value)}`));

const wrongValue = (place: string, rule: Rule, what: string): RangeError =>
  asFinal(new RangeError(`${nameOf(place)} must be ${describeRule(rule)}, got another ${what}`));

const nameOf = (place: string): string => (place === '' ? 'The parameters' : `Parameter "${place}"`);

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
      throw wrongValue(place, rule, typeOf(value));
    if (branches === undefined) return own;
    let taken: Taken | null = null;
    for (const branch of branches) {
      const found = tryRead(branch, value, place);
      if (found !== null && taken !== null) throw wrongValue(place, rule, typeOf(value)); // of oneOf
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
  const readInner = createReadInner(rule);
  const isOfType = createIsOfType(rule);
  const pattern = rule.pattern === undefined ? null : new RegExp(rule.pattern, 'u');
  return (value, place) => {
    if (!isOfType(value)) throw wrongParameter(place, describeRule(rule), value);
    if (typeof value === 'number' && !isInRange(rule, value)) throw wrongValue(place, rule, 'number');
    if (typeof value === 'string') {
      if (!hasLength(value, rule)) throw wrongValue(place, rule, 'length');
      if (pattern !== null && !matches(pattern, value)) throw wrongValue(place, rule, 'string');
    }
    if (Array.isArray(value) && !isWithin(value.length, rule.minItems, rule.maxItems))
      throw wrongValue(place, rule, 'length');
    return readInner(value, place);
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

const matches = (pattern: RegExp, text: string): boolean =>
  text.length <= MAX_MATCHED_LENGTH && pattern.test(text);

const createIsOfType = (rule: Rule): ((value: JsonValue) => boolean) => {
  const { enum: choices, const: constant } = rule;
  // Whether a number is whole is checked with its range.
  const types = typesOf(rule)?.map((type) => (type === 'integer' ? 'number' : type));
  return (value) =>
    (types === undefined || types.some((type) => type === typeOf(value))) &&
    (choices === undefined || choices.some((choice) => jsonEquals(choice, value))) &&
    (constant === undefined || jsonEquals(constant, value));
};

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

/** Reads what is in a list or an object; returns the value itself if there is nothing to check in it. */
const createReadInner = (rule: Rule): Read => {
  const { items } = rule;
  const readItem = items === undefined ? null : createRead(items);
  const readFields = createReadFields(rule);
  return (value, place) => {
    if (Array.isArray(value))
      return readItem === null ? value : value.map((item, index) => readItem(item, `${place}[${index}]`));
    return isJsonMap(value) && readFields !== null ? readFields(value, place) : value;
  };
};

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
    const at = (name: string): string => (place === '' ? name : `${place}.${name}`);
    const result: Record<string, JsonValue> = {};
    for (const [name, rule, read, isRequired] of fields) {
      const given = Object.hasOwn(value, name) ? value[name] : rule.default;
      if (given !== undefined) setOwn(result, name, read(given, at(name)));
      else if (isRequired) throw wrongParameter(at(name), describeRule(rule), undefined);
    }
    for (const name of others)
      if (!Object.hasOwn(value, name)) throw wrongParameter(at(name), describeRule({}), undefined);
    for (const [name, other] of Object.entries(value)) {
      if (known.has(name) || (additionalProperties === false && place === '')) continue; // checked when it was stored
      if (additionalProperties === false) throw wrongParameter(at(name), 'absent', other);
      setOwn(result, name, readOther === null ? other : readOther(other, at(name)));
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
export const isJsonMap = (value: JsonValue | undefined): value is JsonObject => typeOf(value) === 'object';
