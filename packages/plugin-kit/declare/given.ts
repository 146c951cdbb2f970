import type { TProperties, TSchema, TUnknown } from 'typebox';
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { Type } from './type.ts';

const refer = ($ref: string): TUnknown => Type.Unknown({ $ref });

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const toFields = (keys: readonly string[]): string =>
  keys.map((key) => `/properties/${escapeKey(key)}`).join('');

/** What a node gets, for the schemas of its outputs, which can be made of it: `Type.Array(Given.parameter('items'))`. */
export const Given = {
  /** The merged input: what `if` and `wait` pass on. */
  input: refer('#input'),
  /** An object with what each connected node delivers, by its id. */
  inputs: refer('#inputs'),
  /** What any of the connected nodes delivers. */
  anyInput: refer('#inputs/additionalProperties'),
  /** What the last nodes of the node's body deliver. */
  body: refer('#body'),
  /** A field of the input, by the keys that lead to it. */
  field: (...keys: readonly string[]): TUnknown => refer(`#input${toFields(keys)}`),
  /** The value of a parameter. */
  parameter: (name: string): TUnknown => refer(`#parameters/properties/${escapeKey(name)}`),
  /** An item of the list in a parameter, or a field of it. */
  itemOf: (name: string, ...keys: readonly string[]): TUnknown =>
    refer(`#parameters/properties/${escapeKey(name)}/items${toFields(keys)}`),
  /** An entry of the list in a field of the items of a parameter. */
  entryOf: (name: string, ...keys: readonly string[]): TUnknown =>
    refer(`#parameters/properties/${escapeKey(name)}/items${toFields(keys)}/items`),
  /** One of several, by the value of a parameter; anything for an expression. @param initial - of an absent parameter */
  by: (parameter: string, cases: Readonly<Record<string, TSchema>>, initial: string | boolean): TUnknown =>
    Type.Unknown({ by: parameter, cases, initial: String(initial) }),
  /** What is delivered if a parameter is given, and if it is not. */
  ifGiven: (parameter: string, given: TSchema, otherwise: TSchema): TUnknown =>
    Type.Unknown({ ifGiven: parameter, cases: { given, otherwise } }),
  /** What the JSON Schema in a parameter allows. */
  schemaIn: (parameter: string): TUnknown => Type.Unknown({ schemaIn: parameter }),
  /** Objects merged into one, of which later ones win. */
  merged: (...parts: readonly TSchema[]): TUnknown => Type.Unknown({ merged: parts }),
} as const;

/** An object with these fields and no others, as outputs mostly are. */
export const closed = <const Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** A value, or null. */
export const orNull = <const Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** What has the fields of a sample, any of which may be null; nothing is known of what is null there. */
export const like = (sample: JsonValue): TSchema => {
  if (sample === null) return Type.Unknown();
  if (Array.isArray(sample))
    return Type.Array(sample.length === 0 ? Type.Unknown() : Type.Union(sample.map(like)));
  if (isPlainObject(sample)) return closed(fieldsLike(sample as JsonObject));
  return orNull(likeTypes[typeof sample as keyof typeof likeTypes]());
};

const likeTypes = { string: Type.String, number: Type.Number, boolean: Type.Boolean };

/** The fields of {@link like}, for `closed`. */
export const fieldsLike = (sample: JsonObject): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, like(value)]));

/** Names in lower case, as those of headers are. */
export const LOWER_CASE = '^[^A-Z]+$';

/** The headers of a request or an answer. */
export const headers = Type.Record(Type.String(), Type.String(), { propertyNames: { pattern: LOWER_CASE } });

/** A file of the execution: see `FileValue`. */
export const fileValue = closed({
  $file: Type.String(),
  name: Type.String(),
  mediaType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
});
