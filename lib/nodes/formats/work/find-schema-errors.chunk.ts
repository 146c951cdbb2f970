import { format, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '../../../contract/json.ts';
import { boundSchema } from './bound-schema.ts';

const MAX_ERRORS = 100;

/** Keywords whose errors only repeat that something within is wrong. */
const summaries = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'else',
  'if',
  'items',
  'prefixItems',
  'properties',
  'then',
]);

/**
 * Checks a value by interpreting a schema: no code is generated.
 *
 * @returns the errors, each with the place in the value as a JSON Pointer
 * @throws RangeError for a schema that can't be used, and when the value takes too many steps or is nested too deep
 */
export const findErrors = (schema: JsonObject, value: JsonValue): JsonObject[] => {
  const bounded = boundSchema(schema);
  try {
    const { errors } = withFormats(bounded.formats, () =>
      new Validator(bounded.schema as object, '2020-12', false).validate(value),
    );
    const causes = errors.filter(({ keyword }) => !summaries.has(keyword));
    return (causes.length === 0 ? errors : causes)
      .slice(0, MAX_ERRORS)
      .map(({ instanceLocation, keyword, error }) => ({
        place: decodeURIComponent(instanceLocation.slice(1)),
        keyword: keyword === 'format' ? bounded.keywordOf(error) : keyword,
        message: bounded.describe(error),
      }));
  } catch (error) {
    throw toSchemaError(error);
  }
};

/** Adds formats to the table of the validator's module while it runs, which is synchronous. */
const withFormats = <Result>(
  formats: ReadonlyMap<string, (text: string) => boolean>,
  run: () => Result,
): Result => {
  for (const [name, check] of formats) format[name] = check;
  try {
    return run();
  } finally {
    for (const name of formats.keys()) delete format[name];
  }
};

const toSchemaError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError && error.message.startsWith('Parameter')) return error;
  if (error instanceof RangeError && error.message.includes('stack'))
    return new RangeError('Parameter "value" is nested too deep for this schema', { cause: error });
  // The validator writes each key as part of a URI.
  if (error instanceof URIError)
    return new RangeError('Parameter "value" has a key with half of a surrogate pair', { cause: error });
  return new RangeError(`Parameter "schema" can't be used: ${firstLine(error.message)}`, { cause: error });
};

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';
