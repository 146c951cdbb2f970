import type { JsonObject, JsonValue } from '../../src/net/json.ts';
import { type Leaf, type Scalar, toLeaf } from '../../src/sources/pattern/leaf.ts';

/** Index of the chosen element of each array, by the array's path in the event. */
type Membership = ReadonlyMap<string, number>;

/** A scalar of an event: keys joined by dots, and the arrays that it is in, but not the one that it is an element of. */
interface Field {
  readonly path: string;
  readonly value: Scalar;
  readonly membership: Membership;
}

/**
 * Whether an event matches a pattern without `$or`, by trying all choices of values: the definition of event-ruler
 * (Event.java, StructuredFinder.java), written down for events of a few fields.
 */
export const matchesBySearch = (pattern: JsonObject, event: JsonObject): boolean =>
  search(
    leavesOf(pattern, []).sort(([a], [b]) => (a < b ? -1 : 1)),
    fieldsOf(event, [], '', new Map()),
    new Map(),
  );

const search = (
  [leaf, ...later]: readonly (readonly [path: string, leaf: Leaf])[],
  fields: readonly Field[],
  chosen: Membership,
): boolean => {
  if (leaf === undefined) return true;
  const [path, { matches, acceptsAbsence }] = leaf;
  const possible = fields.filter((field) => field.path === path && isConsistent(chosen, field.membership));
  if (acceptsAbsence && possible.length === 0) return search(later, fields, chosen);
  return possible
    .filter(({ value }) => matches(value))
    .some(({ membership }) => search(later, fields, new Map([...chosen, ...membership])));
};

const isConsistent = (chosen: Membership, membership: Membership): boolean =>
  [...membership].every(([array, index]) => (chosen.get(array) ?? index) === index);

const leavesOf = (pattern: JsonObject, keys: readonly string[]): (readonly [string, Leaf])[] =>
  Object.entries(pattern).flatMap(([key, value]) =>
    Array.isArray(value)
      ? [[[...keys, key].join('.'), toLeaf(value)] as const]
      : leavesOf(value as JsonObject, [...keys, key]),
  );

const fieldsOf = (
  value: JsonValue,
  keys: readonly string[],
  place: string,
  membership: Membership,
): Field[] => {
  if (Array.isArray(value))
    return value.flatMap((element, index) => {
      const isScalar = typeof element !== 'object' || element === null;
      const within = isScalar ? membership : new Map([...membership, [place, index]]);
      return fieldsOf(element, keys, `${place}/${index}`, within);
    });
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, field]) =>
      fieldsOf(field, [...keys, key], `${place}/${key}`, membership),
    );
  return [{ path: keys.join('.'), value: value as Scalar, membership }];
};
