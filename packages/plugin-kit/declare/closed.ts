import type { TProperties, TSchema } from 'typebox';
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { Type } from './type.ts';

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
