import { isPlainObject } from '@hookloom/plugin-kit';
import { branchesOf, fieldSchema, isUnknown, itemSchema } from '@hookloom/plugin-kit/host';
import { mayBe, type Type } from '../../../../../authoring/validation/types/types.ts';
import { describeValue, MAX_TEXT } from '../../../parts/expression/describe-value.ts';
import { writeName } from '../../../parts/expression/jsonata-tokens.ts';

/** Keys of objects and positions in lists that lead to a part of a value. */
export type Path = readonly (string | number)[];

/**
 * The expression that reads a part of the data.
 *
 * @param nodeId - whose output it is; null for the input, whose fields have their plain names
 * @returns null for what a path can't name: all of the input, and a name with a backtick
 */
export const toExpression = (nodeId: string | null, path: Path): string | null => {
  const names = nodeId === null ? path : ['$nodes', nodeId, ...path];
  if (names.length === 0 || names.some((name) => typeof name === 'string' && name.includes('`'))) return null;
  const [first, ...others] = names;
  if (typeof first === 'number') return null;
  const start = nodeId === null ? writeName(first as string) : '$nodes';
  const rest = others.map((name) => (typeof name === 'number' ? `[${name}]` : `.${writeName(name)}`));
  return `{{ ${start}${rest.join('')} }}`;
};

/** The entries of an object or a list, as many as are asked for; none of anything else. */
const entriesOf = (value: unknown, limit: number): readonly (readonly [string | number, unknown])[] => {
  if (Array.isArray(value)) return value.slice(0, limit).map((item, index) => [index, item] as const);
  if (!isPlainObject(value)) return [];
  const entries: [string, unknown][] = [];
  for (const key in value) {
    if (entries.length >= limit) break;
    if (Object.hasOwn(value, key)) entries.push([key, value[key]]);
  }
  return entries;
};

/** The number of entries; null of anything but objects and lists. */
const sizeOf = (value: unknown): number | null => {
  if (Array.isArray(value)) return value.length;
  return isPlainObject(value) ? Object.keys(value).length : null;
};

/** Stands for a value that has not been seen yet: only its type is known. */
export const UNSEEN = Symbol('unseen');

/** A value, or `UNSEEN`, and what is known of its type: `{}` if nothing is. */
export interface Typed {
  readonly value: unknown;
  readonly type: Type;
}

/** The entries of a value, and what else is declared there: fields, or the first item of a list that has not been seen. */
export const rowsOf = (
  { value, type }: Typed,
  limit: number,
): readonly (readonly [string | number, Typed])[] => {
  if (Array.isArray(value)) {
    const item = itemSchema(type);
    return entriesOf(value, limit).map(([key, own]) => [key, { value: own, type: item }]);
  }
  const declared = value === UNSEEN || isPlainObject(value) ? fieldsOfObject(type) : [];
  const seen = entriesOf(value, limit).map(([key, own]): [string | number, Typed] => [
    key,
    { value: own, type: fieldSchema(type, String(key)) ?? {} },
  ]);
  const names = new Set(seen.map(([key]) => key));
  const unseen = declared
    .filter(([name]) => !names.has(name) && (value === UNSEEN || !Object.hasOwn(value as object, name)))
    .map(([name, own]): [string, Typed] => [name, { value: UNSEEN, type: own }]);
  const isList = value === UNSEEN && declared.length === 0 && mayBe(type, 'array') && !isUnknown(type);
  return isList ? [[0, { value: UNSEEN, type: itemSchema(type) }]] : [...seen, ...unseen].slice(0, limit);
};

const fieldsOfObject = (type: Type): readonly (readonly [string, Type])[] => {
  const fields = branchesOf(type).flatMap(({ properties }) =>
    Object.entries((properties ?? {}) as Readonly<Record<string, Type>>),
  );
  return [...new Map(fields.toReversed())].toReversed();
};

/** The number of rows; null of a value without parts. */
export const countRows = ({ value, type }: Typed): number | null => {
  const size = sizeOf(value);
  if (Array.isArray(value)) return size;
  if (size === null && value !== UNSEEN) return null;
  const unseen = fieldsOfObject(type).filter(
    ([name]) => value === UNSEEN || !Object.hasOwn(value as object, name),
  );
  const count = (size ?? 0) + unseen.length;
  if (size !== null || count > 0) return count;
  return mayBe(type, 'array') && !isUnknown(type) ? 1 : null;
};

const MAX_HITS = 100;
/** Values that a search looks at. */
const MAX_VISITED = 100_000;
/** What is nested more deeply is not searched: the service accepts less. */
const MAX_DEPTH = 200;

interface Hits {
  readonly hits: readonly (Typed & { readonly path: Path })[];
  readonly isPartial: boolean;
}

/** Finds fields by their names, and plain values by the start of their text, in any case. */
export const searchData = (data: Typed, text: string): Hits => {
  const sought = text.trim().toLowerCase();
  const hits: (Typed & { readonly path: Path })[] = [];
  const open: (Typed & { readonly path: Path })[] = [{ path: [], ...data }];
  let visited = 0;
  let isPartial = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    visited += 1;
    if (visited > MAX_VISITED || hits.length >= MAX_HITS) return { hits, isPartial: true };
    const { path, value } = next;
    const isPlain = value !== UNSEEN && sizeOf(value) === null;
    const name = path.at(-1) ?? '';
    const isHit =
      (typeof name === 'string' && name !== '' && name.slice(0, MAX_TEXT).toLowerCase().includes(sought)) ||
      (isPlain && describeValue(value).toLowerCase().includes(sought));
    if (isHit) hits.push(next);
    const rows = path.length < MAX_DEPTH ? rowsOf(next, MAX_VISITED - visited) : [];
    isPartial ||= rows.length < (countRows(next) ?? 0);
    for (const [key, own] of rows.toReversed()) open.push({ path: [...path, key], ...own });
  }
  return { hits, isPartial };
};

/** A list of objects, as a table. */
export interface DataTable {
  readonly path: Path;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows in all. */
  readonly count: number;
}

const MAX_TABLES = 10;
const MAX_ROWS = 50;
const MAX_COLUMNS = 20;

/** The lists of objects in the data, not deeper than in three objects. */
export const findTables = (data: unknown): readonly DataTable[] => {
  const tables: DataTable[] = [];
  const open: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value: data }];
  for (const { path, value } of open) {
    if (tables.length >= MAX_TABLES) break;
    if (Array.isArray(value)) {
      const rows = value.slice(0, MAX_ROWS).filter(isPlainObject) as DataTable['rows'];
      if (rows.length === 0) continue;
      const columns = new Set(rows.flatMap((row) => entriesOf(row, MAX_COLUMNS).map(([key]) => String(key))));
      tables.push({ path, columns: [...columns].slice(0, MAX_COLUMNS), rows, count: value.length });
    } else if (path.length < 3)
      for (const [key, own] of entriesOf(value, 100)) open.push({ path: [...path, key], value: own });
  }
  return tables;
};
