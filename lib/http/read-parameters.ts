import { isPlainObject } from '@hookloom/plugin-kit';
import type { GenericSchema, InferOutput } from 'valibot';
import { QUERY_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { parseFields } from '../shared/query-fields.ts';

/** @throws AppError `QUERY_INVALID` when a parameter is unknown, repeated or invalid */
export const parseQuery = <Schema extends GenericSchema & { readonly entries: object }>(
  event: unknown,
  schema: Schema,
): InferOutput<Schema> => parseFields(schema, readQuery(event, Object.keys(schema.entries)));

/**
 * The query of a request, by name; an empty parameter counts as absent.
 *
 * @throws AppError `QUERY_INVALID` when a parameter is repeated or not among `names`: ignoring a misspelt filter would
 *   return the wrong results
 */
export const readQuery = (event: unknown, names: readonly string[]): Readonly<Record<string, string>> => {
  const { rawQueryString } = (event ?? {}) as { readonly rawQueryString?: unknown };
  const query = [...new URLSearchParams(typeof rawQueryString === 'string' ? rawQueryString : '')];
  const seen = new Set<string>();
  for (const [name] of query) {
    if (!names.includes(name)) throw invalidQuery(`unknown parameter ${quote(name)}${others(names)}`);
    if (seen.has(name)) throw invalidQuery(`${name} is given twice`);
    seen.add(name);
  }
  return Object.fromEntries(query.filter(([, value]) => value !== ''));
};

const invalidQuery = (reason: string): AppError => new AppError(QUERY_INVALID, { reason });

/** A name from the request, shortened, as a JSON string for a message. */
const quote = (name: string): string => JSON.stringify(name.slice(0, 40));

const others = (names: readonly string[]): string =>
  names.length === 0 ? '' : `, expected one of ${names.join(', ')}`;

/** A path parameter of a request, decoded exactly once by the gateway; empty if missing. */
export const readPathParameter = (event: unknown, name: string): string => {
  const { pathParameters } = isPlainObject(event) ? event : {};
  const value = isPlainObject(pathParameters) ? pathParameters[name] : undefined;
  return typeof value === 'string' ? value : '';
};
