import { format, Validator } from '@cfworker/json-schema';
import { boundSchema } from './bound-schema.ts';
import { isHostname } from './hostname.ts';
import type { JsonMap } from './json-map.ts';

format.hostname = isHostname; // the validator's own takes any Punycode

/** Violations that are returned. */
const MAX_VIOLATIONS = 100;
/** A second, or two. */
const MAX_WORK = 40_000_000;

/** What a value violates. */
interface Violation {
  /** JSON Pointer to the place in the value, as a URI fragment (RFC 6901 §6): `#/lines/0/price`. */
  readonly pointer: string;
  readonly keyword: string;
  /** The validator's sentence; that of a limit on numbers begins with the number. */
  readonly message: string;
}

interface FindOptions {
  /** Stop at the first violation: all of a large value would take memory that its size does not bound. */
  readonly onlyFirst?: boolean;
  /** Beyond it, the value can't be checked: units of about 30 ns. */
  readonly maxWork?: number;
}

/**
 * @returns the first 100 violations, without those that only repeat that something within is wrong
 * @throws RangeError for a schema that can't be used, and when the value takes too many steps or is nested too deep
 */
type FindViolations = (value: unknown, options?: FindOptions) => readonly Violation[];

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
 * A JSON Schema (2020-12, or draft 7 where its `$schema` says so) as a check that interprets it: no code is generated.
 *
 * @throws RangeError for a schema that can't be used
 */
export const compileJsonSchema = (schema: JsonMap): FindViolations => {
  const { formats, restart, describe, ...bounded } = boundSchema(schema);
  const draft = isDraft7(schema) ? '7' : '2020-12';
  const validators = orUnusable(() => ({
    all: new Validator(bounded.schema, draft, false),
    first: new Validator(bounded.schema, draft, true),
  }));
  return (value, { onlyFirst = false, maxWork = MAX_WORK } = {}) => {
    restart(maxWork);
    const validator = onlyFirst ? validators.first : validators.all;
    const { errors } = orUnusable(() => withFormats(formats, () => validator.validate(value)));
    const causes = errors.filter(({ keyword }) => !summaries.has(keyword));
    return (causes.length === 0 ? errors : causes)
      .slice(0, MAX_VIOLATIONS)
      .map(({ instanceLocation, keyword, error }) => ({
        pointer: instanceLocation,
        ...describe({ keyword, error }),
      }));
  };
};

/** Whether a schema says that it is one of draft 7, in which `items` may be a list and `$ref` stands alone. */
export const isDraft7 = ({ $schema }: JsonMap): boolean =>
  typeof $schema === 'string' && $schema.includes('draft-07');

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
    return new RangeError('Parameter "value" is nested too deep for this schema', { cause: error });
  // The validator writes each key as part of a URI.
  if (error instanceof URIError)
    return new RangeError('Parameter "value" has a key with half of a surrogate pair', { cause: error });
  return new RangeError(`Parameter "schema" can't be used: ${firstLine(error.message)}`, { cause: error });
};

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';
