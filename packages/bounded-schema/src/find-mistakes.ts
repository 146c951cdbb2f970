import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { isMap } from './bound-schema.ts';
import { isDraft7 } from './compile-json-schema.ts';
import { findSchemaFault } from './find-schema-fault.ts';
import type { JsonMap } from './json-map.ts';

/** What is wrong with a value, for a message that its author can act on. */
export interface Mistake {
  /** JSON Pointer (RFC 6901) to the place in the value. */
  readonly place: string;
  readonly keyword: string;
  /** JSON Pointer to the keyword, with each `$ref` on the way. */
  readonly keywordPlace: string;
  /** The value of the keyword. */
  readonly limit: unknown;
  /** The schema that has the keyword. */
  readonly schema: JsonMap;
  /** The value at the place. */
  readonly value: unknown;
  /** Of `required`, `additionalProperties` and `unevaluatedProperties`: the key. */
  readonly key: string | null;
  /** Of `oneOf`: how many of its schemas match. */
  readonly matches: number;
}

interface Prepared {
  readonly schema: JsonMap;
  readonly validator: Validator;
  /** Schemas by absolute URI. */
  readonly lookup: Readonly<Record<string, unknown>>;
}

/** By identity, for as long as the schema is in use. */
const known = new WeakMap<JsonMap, Prepared>();

/** Keywords whose errors only repeat a nested error. */
const SUMMARIES = new Set([
  '$ref',
  'additionalItems',
  'allOf',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
]);

/** Keywords whose schema is for keys or items that no other keyword names; if it is `false`, the error is their own. */
const FOR_OTHERS = new Set([
  'additionalProperties',
  'dependencies',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/**
 * Checks a value against a schema that is trusted: its patterns are matched by `RegExp`, and its work is not bounded.
 * The errors of the schemas in an `anyOf` or `oneOf` come before its own.
 *
 * @throws RangeError for a schema that can't be used, and for a value that is nested too deeply
 */
export const findMistakes = (schema: JsonMap, value: unknown): Mistake[] => {
  const prepared = prepare(schema);
  const json = toJson(value);
  const { errors } = prepared.validator.validate(json);
  return toMistakes(errors, prepared, json);
};

/** Without keys of `undefined`, which the validator does not accept. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

const prepare = (given: JsonMap): Prepared => {
  const prepared = known.get(given);
  if (prepared !== undefined) return prepared;
  const fault = findSchemaFault(given);
  if (fault !== null) throw new RangeError(`${fault.place || 'its top level'} ${fault.message}`);
  const schema = toJson(given) as JsonMap; // the validator adds absolute references to it
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

/** The errors that follow one, of schemas within its keyword. */
const nestedIn = (errors: readonly OutputUnit[], at: number): readonly OutputUnit[] => {
  const { keywordLocation = '', instanceLocation = '' } = errors[at] ?? {};
  let end = at + 1;
  for (; end < errors.length; end += 1) {
    const { keyword, keywordLocation: inner = '', instanceLocation: place = '' } = errors[end] ?? {};
    // The schema `false` has the place of the value in place of its own.
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
    key: keyOf(keyword, error, next),
    matches: Number(/\((\d+) matches\)/.exec(error)?.[1] ?? 0),
  };
};

const keyOf = (keyword: string, error: string, next: OutputUnit | undefined): string | null => {
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

/** The schema that has the keyword, of which the last token is the name. */
const findParent = (tokens: readonly string[], schema: JsonMap, lookup: Prepared['lookup']): JsonMap => {
  let parent: unknown = schema;
  for (const token of tokens.slice(0, -1)) {
    const { $ref = '', __absolute_ref__: uri = $ref } = parent as Record<string, unknown>;
    parent = token === '$ref' ? lookup[String(uri)] : (parent as Record<string, unknown>)[token];
  }
  return parent as JsonMap;
};
