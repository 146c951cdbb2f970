import { isPlainObject } from '@hookloom/plugin-kit';
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
export const entriesOf = (
  value: unknown,
  limit: number,
): readonly (readonly [string | number, unknown])[] => {
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
export const sizeOf = (value: unknown): number | null => {
  if (Array.isArray(value)) return value.length;
  return isPlainObject(value) ? Object.keys(value).length : null;
};

const MAX_HITS = 100;
/** Values that a search looks at. */
const MAX_VISITED = 100_000;
/** What is nested more deeply is not searched: the service accepts less. */
const MAX_DEPTH = 200;

interface Hits {
  readonly hits: readonly { readonly path: Path; readonly value: unknown }[];
  readonly isPartial: boolean;
}

/** Finds fields by their names, and plain values by the start of their text, in any case. */
export const searchData = (data: unknown, text: string): Hits => {
  const sought = text.trim().toLowerCase();
  const hits: { path: Path; value: unknown }[] = [];
  const open: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value: data }];
  let visited = 0;
  let isPartial = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    visited += 1;
    if (visited > MAX_VISITED || hits.length >= MAX_HITS) return { hits, isPartial: true };
    const { path, value } = next;
    const isPlain = sizeOf(value) === null;
    const name = path.at(-1) ?? '';
    const isHit =
      (typeof name === 'string' && name !== '' && name.slice(0, MAX_TEXT).toLowerCase().includes(sought)) ||
      (isPlain && describeValue(value).toLowerCase().includes(sought));
    if (isHit) hits.push(next);
    const entries = path.length < MAX_DEPTH ? entriesOf(value, MAX_VISITED - visited) : [];
    isPartial ||= entries.length < (sizeOf(value) ?? 0);
    for (const [key, own] of entries.toReversed()) open.push({ path: [...path, key], value: own });
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
