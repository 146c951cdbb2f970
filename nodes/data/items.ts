import { Type } from '@hookloom/plugin-kit';

/** Items of a list. */
export const MAX_ITEMS = 100_000;

/** A list of any items, as a parameter. */
export const listOf = (description: string) =>
  Type.Array(Type.Unknown(), { maxItems: MAX_ITEMS, description });

/** The parameter of every node that works on one list. */
export const itemsParameter = listOf(
  'The list, of up to 100,000 items; usually an expression such as {{ body.orders }}',
);
