import type { Static } from 'typebox';

/** The type of the values that a JSON Schema (`as const`) allows, read-only at every depth. */
export type FromSchema<Schema> = Immutable<Static<Schema & object>>;

type Immutable<Value> = { readonly [Key in keyof Value]: Immutable<Value[Key]> };
