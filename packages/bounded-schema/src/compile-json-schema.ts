import { dereference, format, validate } from '@cfworker/json-schema';
import { boundSchema, type JsonMap } from './bound-schema.ts';
import { isHostname } from './hostname.ts';

format.hostname = isHostname; // the validator's own check accepts all Punycode, even invalid

/** Maximum number of violations returned. */
const MAX_VIOLATIONS = 100;
/** Maximum work of one validation, which takes one to two seconds. */
const MAX_WORK = 40_000_000;

interface Violation {
  /** JSON Pointer to the invalid value, as a URI fragment (RFC 6901 §6): `#/lines/0/price`. */
  readonly pointer: string;
  readonly keyword: string;
  /** The validator's message. For numeric limits it begins with the number. */
  readonly message: string;
}

interface FindOptions {
  /** Stop at the first violation. Collecting all violations can take more memory than the value itself. */
  readonly onlyFirst?: boolean;
  /** Maximum work per value, in units of about 30 ns. The check fails beyond it. */
  readonly maxWork?: number;
}

/**
 * @returns the first 100 violations, except those that only repeat a nested one
 * @throws RangeError when the schema is unusable, needs too many steps for the value, or the value is nested too deeply
 */
type FindViolations = (value: unknown, options?: FindOptions) => readonly Violation[];

/** Keywords whose errors only repeat a nested error. */
const summaries = new Set(
  '$ref additionalProperties allOf else if items prefixItems properties then'.split(' '),
);

/**
 * Compiles a JSON Schema (2020-12, or draft 7 if its `$schema` says so) to a function that checks values. The schema is
 * interpreted; no code is generated.
 *
 * @throws RangeError for an unusable schema
 */
export const compileJsonSchema = (schema: JsonMap): FindViolations => {
  const { formats, restart, describe, ...bounded } = boundSchema(schema);
  const draft = isDraft7(schema) ? '7' : '2020-12';
  const references = orUnusable(() => dereference(bounded.schema));
  return (value, { onlyFirst = false, maxWork = MAX_WORK } = {}) => {
    restart(maxWork);
    const { errors } = orUnusable(() =>
      withFormats(formats, () => validate(value, bounded.schema, draft, references, onlyFirst)),
    );
    const causes = errors.filter(({ keyword }) => !summaries.has(keyword));
    return (causes.length === 0 ? errors : causes)
      .slice(0, MAX_VIOLATIONS)
      .map(({ instanceLocation, keyword, error }) => ({
        pointer: instanceLocation,
        ...describe({ keyword, error }),
      }));
  };
};

/** Whether a schema declares draft 7, where `items` may be a list and `$ref` overrides its siblings. */
export const isDraft7 = ({ $schema }: JsonMap): boolean =>
  typeof $schema === 'string' && $schema.includes('draft-07');

/** Adds formats to the validator module's global table for the duration of a synchronous validation. */
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

const orUnusable = <Result>(run: () => Result): Result => {
  try {
    return run();
  } catch (error) {
    throw toSchemaError(error);
  }
};

const toSchemaError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  if (error instanceof RangeError && error.message.startsWith('Parameter')) return error;
  if (error instanceof RangeError && error.message.includes('stack'))
    return new RangeError('Parameter "value" is nested too deeply for this schema', { cause: error });
  // The validator URI-encodes each key, which fails on a lone surrogate.
  if (error instanceof URIError)
    return new RangeError('Parameter "value" has a key with a lone surrogate', { cause: error });
  return new RangeError(`Parameter "schema" can't be used: ${firstLine(error.message)}`, { cause: error });
};

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** One violation by a value. It is plain JSON, so a response can include it. */
type SchemaError = {
  /** JSON Pointer (RFC 6901) to the invalid part of the value. */
  readonly place: string;
  readonly keyword: string;
  readonly message: string;
};

/** How many errors a message names. */
const MAX_NAMED = 3;

/** Names the first errors with their places. @param noun - the whole value, such as `the input` */
export const describeErrors = (errors: readonly SchemaError[], noun: string): string => {
  const named = errors
    .slice(0, MAX_NAMED)
    .map(
      ({ place, keyword, message }) =>
        `${place || noun}: ${keyword === 'false' ? 'no value is allowed here' : message.replace(/\.$/, '')}`,
    );
  return `${named.join('; ')}${errors.length > MAX_NAMED ? `; and ${errors.length - MAX_NAMED} more` : ''}`;
};

/**
 * Checks a value against a JSON Schema.
 *
 * @returns the first 100 errors
 * @throws RangeError when the schema is unusable, needs too many steps for the value, or the value is nested too deeply
 */
export const findErrors = (schema: JsonMap, value: unknown): SchemaError[] =>
  compileJsonSchema(schema)(value).map(({ pointer, keyword, message }) => ({
    place: decodeURIComponent(pointer.slice(1)),
    keyword,
    message,
  }));
