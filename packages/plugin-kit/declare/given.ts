import type { TSchema, TUnknown } from 'typebox';
import { Type } from './type.ts';

// What a node gets, for the schemas of its outputs, which can be made of it: `Type.Array(Given.parameter('items'))`.

const refer = ($ref: string): TUnknown => Type.Unknown({ $ref });

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const toFields = (keys: readonly string[]): string =>
  keys.map((key) => `/properties/${escapeKey(key)}`).join('');

/** The merged input: what `if` and `wait` pass on. */
export const input = refer('#input');

/** An object with what each connected node delivers, by its id. */
export const inputs = refer('#inputs');

/** What any of the connected nodes delivers. */
export const anyInput = refer('#inputs/additionalProperties');

/** What the last nodes of the node's body deliver. */
export const body = refer('#body');

/** A field of the input, by the keys that lead to it. */
export const field = (...keys: readonly string[]): TUnknown => refer(`#input${toFields(keys)}`);

/** The value of a parameter. */
export const parameter = (name: string): TUnknown => refer(`#parameters/properties/${escapeKey(name)}`);

/** An item of the list in a parameter, or a field of it. */
export const itemOf = (name: string, ...keys: readonly string[]): TUnknown =>
  refer(`#parameters/properties/${escapeKey(name)}/items${toFields(keys)}`);

/** An entry of the list in a field of the items of a parameter. */
export const entryOf = (name: string, ...keys: readonly string[]): TUnknown =>
  refer(`#parameters/properties/${escapeKey(name)}/items${toFields(keys)}/items`);

/** One of several, by the value of a parameter; anything for an expression. @param initial - of an absent parameter */
export const by = (
  parameter: string,
  cases: Readonly<Record<string, TSchema>>,
  initial: string | boolean,
): TUnknown => Type.Unknown({ by: parameter, cases, initial: String(initial) });

/** What is delivered if a parameter is given, and if it is not. */
export const ifGiven = (parameter: string, given: TSchema, otherwise: TSchema): TUnknown =>
  Type.Unknown({ ifGiven: parameter, cases: { given, otherwise } });

/** What the JSON Schema in a parameter allows. */
export const schemaIn = (parameter: string): TUnknown => Type.Unknown({ schemaIn: parameter });

/** Objects merged into one, of which later ones win. */
export const merged = (...parts: readonly TSchema[]): TUnknown => Type.Unknown({ merged: parts });
