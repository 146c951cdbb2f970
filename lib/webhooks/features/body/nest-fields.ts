import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { BODY_INVALID } from '../../../shared/error-catalogue.ts';
import { AppError } from '../../../shared/errors.ts';

const MAX_FIELDS = 1_000;
/** Brackets of a name that nest; what follows them is one key. */
const MAX_DEPTH = 5;
/** Indices from here on are keys of an object, so that `a[999999]` makes no long list. */
const MAX_INDEX = 20;

/** A name with brackets, such as `a[b][]`. No bracket stands in another one. */
const NESTED = /^([^[\]]*)((?:\[[^[\]]*\])+)$/;

/** What the names of fields have at one place. */
interface Place {
  /** Values of fields whose name ends here, and whether it ends in `[]`, which makes a list of a single one, too. */
  readonly values: JsonValue[];
  isList: boolean;
  readonly members: Map<string, Place>;
}

const aPlace = (): Place => ({ values: [], isList: false, members: new Map() });

/**
 * Nests the fields of a form by their names, as Express does (`extended`, with the package qs): `a[b]=1` is an object,
 * `a[]=1` and `a[0]=1` are lists. A field with a name of `Object.prototype` in its path is left out, as there.
 *
 * @param fields - by name; a list for a name sent several times
 * @throws AppError `BODY_INVALID` for too many fields
 */
export const nestFields = (fields: JsonObject): JsonObject => {
  const root = aPlace();
  let count = 0;
  for (const [name, value] of Object.entries(fields)) {
    const values: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    count += values.length;
    if (count > MAX_FIELDS)
      throw new AppError(BODY_INVALID, { reason: `it has more than ${MAX_FIELDS} fields` });
    const path = splitName(name);
    if (!path.some((key) => Object.hasOwn(Object.prototype, key))) putField(root, path, values);
  }
  return Object.fromEntries([...root.members].map(([key, place]) => [key, toNestedValue(place)]));
};

/** The keys in a name; an empty one stands for `[]`. */
const splitName = (name: string): readonly string[] => {
  const [, start = '', brackets = ''] = NESTED.exec(name) ?? [];
  const keys = brackets.slice(1, -1).split('][');
  if (brackets === '' || (start === '' && keys[0] === '')) return [name];
  const rest = keys.slice(MAX_DEPTH).map((key) => `[${key}]`);
  return [
    ...(start === '' ? [] : [start]),
    ...keys.slice(0, MAX_DEPTH),
    ...(rest.length === 0 ? [] : [rest.join('')]),
  ];
};

const putField = (root: Place, path: readonly string[], values: readonly JsonValue[]): void => {
  const isList = path.length > 1 && path.at(-1) === '';
  let place = root;
  for (const key of isList ? path.slice(0, -1) : path) {
    const name = key === '' ? '0' : key; // `a[][b]` is in the first item, as with qs
    const next = place.members.get(name) ?? aPlace();
    place.members.set(name, next);
    place = next;
  }
  place.isList ||= isList;
  place.values.push(...values);
};

const toNestedValue = ({ values, isList, members }: Place): JsonValue => {
  const inner = [...members].map(([key, place]) => [key, toNestedValue(place)] as const);
  if (inner.length === 0) return isList || values.length > 1 ? values : (values[0] ?? null);
  if (inner.every(([key]) => INDEX.test(key) && Number(key) < MAX_INDEX))
    return [...inner.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item), ...values];
  const object = Object.fromEntries(inner);
  return values.length === 0 ? object : [...values, object];
};

const INDEX = /^(?:0|[1-9]\d?)$/;
