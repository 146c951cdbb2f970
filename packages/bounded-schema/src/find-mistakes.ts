import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { isMap, type JsonMap } from './bound-schema.ts';
import { isDraft7 } from './compile-json-schema.ts';
import { findSchemaFault } from './find-schema-fault.ts';

/** One mistake in a value, with what an actionable message needs. */
export interface Mistake {
  /** JSON Pointer (RFC 6901) to the invalid part of the value. */
  readonly place: string;
  readonly keyword: string;
  /** JSON Pointer to the keyword, including each `$ref` passed on the way. */
  readonly keywordPlace: string;
  /** Value of the violated keyword. */
  readonly limit: unknown;
  /** The schema that contains the keyword. */
  readonly schema: JsonMap;
  /** The invalid part of the value. */
  readonly value: unknown;
  /** The missing or unexpected key, for `required`, `additionalProperties` and `unevaluatedProperties`. */
  readonly key: string | null;
  /** How many of the schemas match, for `oneOf`. */
  readonly matches: number;
}

interface Prepared {
  readonly schema: JsonMap;
  readonly validator: Validator;
  /** The schemas by absolute URI. */
  readonly lookup: Readonly<Record<string, unknown>>;
}

/** Keyed by identity; an entry lives as long as its schema. */
const known = new WeakMap<JsonMap, Prepared>();

/** Keywords whose errors only repeat a nested error. */
const SUMMARIES = new Set(
  '$ref additionalItems allOf dependentSchemas if items patternProperties prefixItems properties'.split(' '),
);

/**
 * Keywords whose schema applies to the keys or items that no other keyword covers. If that schema is `false`, the error
 * belongs to the keyword.
 */
const FOR_OTHERS = new Set(
  'additionalProperties dependencies propertyNames unevaluatedItems unevaluatedProperties'.split(' '),
);

/**
 * Checks a value against a trusted schema: patterns run as `RegExp`, and the work is not bounded. The errors of the
 * schemas in an `anyOf` or `oneOf` come before the error of the keyword itself.
 *
 * @throws RangeError when the schema is unusable or the value is nested too deeply
 */
export const findMistakes = (schema: JsonMap, value: unknown): Mistake[] => {
  const prepared = prepare(schema);
  const json = toJson(value);
  const { errors } = prepared.validator.validate(json);
  return toMistakes(errors, prepared, json);
};

/** Drops keys whose value is `undefined`, which the validator rejects. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

const prepare = (given: JsonMap): Prepared => {
  const prepared = known.get(given);
  if (prepared !== undefined) return prepared;
  const fault = findSchemaFault(given);
  if (fault !== null) throw new RangeError(`${fault.place || 'its top level'} ${fault.message}`);
  const schema = toJson(given) as JsonMap; // the validator adds absolute references to the schema
  const validator = new Validator(schema, isDraft7(schema) ? '7' : '2020-12', false);
  const { lookup } = validator as unknown as Pick<Prepared, 'lookup'>;
  const made = { schema, validator, lookup };
  known.set(given, made);
  return made;
};

const toMistakes = (errors: readonly OutputUnit[], prepared: Prepared, value: unknown): Mistake[] => {
  const mistakes: Mistake[] = [];
  for (let at = 0; at < errors.length; at += 1) {
    const error = errors[at];
    if (error === undefined || SUMMARIES.has(error.keyword)) continue;
    const mistake = toMistake(error, errors[at + 1], prepared, value);
    const inner = nestedIn(errors, at);
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf')
      mistakes.push(...toMistakes(inner, prepared, value), mistake);
    else if (isMap(mistake.limit) && FOR_OTHERS.has(error.keyword))
      mistakes.push(...toMistakes(inner, prepared, value));
    else mistakes.push(mistake);
    at += inner.length;
  }
  return mistakes;
};

/** Finds the errors that follow one and come from schemas nested in its keyword. */
const nestedIn = (errors: readonly OutputUnit[], at: number): readonly OutputUnit[] => {
  const { keywordLocation = '', instanceLocation = '' } = errors[at] ?? {};
  let end = at + 1;
  for (; end < errors.length; end += 1) {
    const { keyword, keywordLocation: inner = '', instanceLocation: place = '' } = errors[end] ?? {};
    // For the schema `false`, the validator reports the location of the value as the location of the keyword.
    const isInner =
      keyword === 'false' ? isWithin(place, instanceLocation) : inner.startsWith(`${keywordLocation}/`);
    if (!isInner) break;
  }
  return errors.slice(at + 1, end);
};

const isWithin = (place: string, other: string): boolean => place === other || place.startsWith(`${other}/`);

const toMistake = (
  { keyword, keywordLocation, instanceLocation, error }: OutputUnit,
  next: OutputUnit | undefined,
  { schema, lookup }: Prepared,
  value: unknown,
): Mistake => {
  const place = toTokens(instanceLocation);
  const parent = keyword === 'false' ? {} : findParent(toTokens(keywordLocation), schema, lookup);
  return {
    place: toPointer(place),
    keyword,
    keywordPlace: decodeURIComponent(keywordLocation.slice(1)),
    limit: parent[keyword],
    schema: parent,
    value: valueAt(value, place),
    key: wrongKeyOf(keyword, error, next),
    matches: Number(/\((\d+) matches\)/.exec(error)?.[1] ?? 0),
  };
};

const wrongKeyOf = (keyword: string, error: string, next: OutputUnit | undefined): string | null => {
  if (keyword === 'required') return error.slice(error.indexOf('"') + 1, error.lastIndexOf('"'));
  const isOfKeys = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
  return isOfKeys && next !== undefined ? (toTokens(next.instanceLocation).at(-1) ?? null) : null;
};

const toTokens = (location: string): string[] =>
  decodeURIComponent(location)
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

const toPointer = (tokens: readonly string[]): string =>
  tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const valueAt = (value: unknown, tokens: readonly string[]): unknown =>
  tokens.reduce<unknown>((inner, token) => (inner as Record<string, unknown> | undefined)?.[token], value);

/** The schema that has the keyword named by the last token. */
const findParent = (tokens: readonly string[], schema: JsonMap, lookup: Prepared['lookup']): JsonMap => {
  let parent: unknown = schema;
  for (const token of tokens.slice(0, -1)) {
    const { $ref = '', __absolute_ref__: uri = $ref } = parent as Record<string, unknown>;
    parent = token === '$ref' ? lookup[String(uri)] : (parent as Record<string, unknown>)[token];
  }
  return parent as JsonMap;
};
