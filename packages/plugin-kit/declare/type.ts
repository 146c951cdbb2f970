import type { Static, Type as TypeBox } from 'typebox';

export type { TSchema } from 'typebox';

import type { JsonObject, JsonValue } from '../contract/json.ts';

/** The builders of TypeBox that parameters need. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
>;

type Schema = object;

/** TypeBox's own mark; not enumerable, so that it is not part of the JSON. */
const OPTIONAL = '~optional';

const ofType =
  (type: string) =>
  (options?: Schema): Schema => ({ type, ...options });

const objectSchema = (properties: Readonly<Record<string, Schema>>, options?: Schema): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {}))),
  properties,
  ...options,
});

const toOptional = (schema: Schema): Schema =>
  Object.defineProperty({ ...schema }, OPTIONAL, { value: true, enumerable: false });

/**
 * Builds JSON Schemas with the signatures of TypeBox, from which `Static` infers a type. TypeBox itself adds 77 kB to a
 * bundle and 100 ms to its start; its schemas work as well.
 */
export const Type = {
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly string[], options?: Schema): Schema => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: string | number | boolean, options?: Schema): Schema => ({ const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: objectSchema,
  Optional: toOptional,
  Record: (_key: Schema, values: Schema, options?: Schema): Schema => ({
    type: 'object',
    additionalProperties: values,
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly Schema[], options?: Schema): Schema => ({ anyOf, ...options }),
  Unknown: (options?: Schema): Schema => ({ ...options }),
} as unknown as Builders;

/**
 * The type of the values that a schema allows, be it `Type.…` or a JSON Schema `as const`. What the schema leaves open
 * is JSON. Read-only at every depth.
 */
export type ValueOf<Schema> = ToJson<Static<Schema & object>>;

type ToJson<Value> = unknown extends Value
  ? JsonValue
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly ToJson<Item>[]
      : string extends Value // `{}`, of a list without `items`
        ? JsonValue
        : keyof Value extends never
          ? JsonObject
          : { readonly [Key in keyof Value]: ToJson<Value[Key]> };

/**
 * A condition for the `allOf` of a parameters' schema: what must also hold while one parameter has a certain value.
 * @param isDefault - whether an absent parameter has that value
 */
export const when = (parameter: string, value: string, then: object, isDefault = false) => ({
  if: { properties: { [parameter]: { const: value } }, required: isDefault ? [] : [parameter] },
  then,
});

/** One branch for each parameter, of which at least one (`anyOf`) or exactly one (`oneOf`) must be present. */
export const eachOf = (...parameters: readonly string[]) =>
  parameters.map((parameter) => ({ required: [parameter] }));
