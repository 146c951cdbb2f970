import { isPlainObject, type JsonObject } from '@hookloom/plugin-kit';
import { toPointerKey } from '../../../shared/describe.ts';
import { compileSchema, findAjv } from './check-schema.ts';

interface SchemaError {
  /** JSON pointer into the schema; empty for the whole of it, or where the place is not known. */
  readonly place: string;
  readonly message: string;
}

/**
 * Compiles a schema with the checker of stored workflows.
 *
 * @returns why it does not compile; null when it does
 */
export const findSchemaError = (schema: JsonObject): SchemaError | null => {
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    return findWrongKeyword(schema) ?? { place: findPlace(schema, error) ?? '', message: messageOf(error) };
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first keyword with a value that the schema of schemas refuses. */
const findWrongKeyword = (schema: JsonObject): SchemaError | null => {
  const ajv = findAjv(schema);
  try {
    if (ajv.validateSchema(schema) === true) return null;
  } catch {
    return null; // it names a schema of schemas that is not known
  }
  const [error] = ajv.errors ?? [];
  return error === undefined ? null : { place: error.instancePath, message: error.message ?? 'is wrong' };
};

/** The reference that leads nowhere, or else the pattern that is no regular expression. */
const findPlace = (schema: JsonObject, error: unknown): string | null => {
  const { missingRef } = (error ?? {}) as { readonly missingRef?: unknown };
  return missingRef === undefined
    ? findEntry(schema, isBadPattern)
    : findEntry(schema, (key, value) => key === '$ref' && value === missingRef);
};

/** @returns the JSON pointer of the first entry that matches, at any depth */
const findEntry = (
  value: unknown,
  matches: (key: string, value: unknown) => boolean,
  place = '',
): string | null => {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const at = `${place}/${toPointerKey(key)}`;
    const found = matches(key, inner) ? at : findEntry(inner, matches, at);
    if (found !== null) return found;
  }
  return null;
};

const isBadPattern = (key: string, value: unknown): boolean =>
  key === 'patternProperties' && isPlainObject(value)
    ? Object.keys(value).some((pattern) => !isPattern(pattern))
    : key === 'pattern' && typeof value === 'string' && !isPattern(value);

const isPattern = (text: string): boolean => {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
};
