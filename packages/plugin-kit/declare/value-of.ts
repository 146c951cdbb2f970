import type { Static } from 'typebox';
import type { JsonObject, JsonValue } from '../contract/json.ts';

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
