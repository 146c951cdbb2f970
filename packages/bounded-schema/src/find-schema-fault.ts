import { dereference, type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { boundSchema, isMap, type JsonMap, UnsupportedSchema } from './bound-schema.ts';
import { isDraft7 } from './compile-json-schema.ts';

interface SchemaFault {
  /** JSON Pointer to the fault, within the schema; empty for the schema itself. */
  readonly place: string;
  /** Completes a sentence about the part: `must be a whole number`. */
  readonly message: string;
}

/**
 * Checks whether a value is a valid JSON Schema (2020-12, or draft 7 if its `$schema` says so): keywords have values of
 * the right type, references resolve, and patterns are regular expressions.
 *
 * @returns the first fault; null for a valid schema
 */
export const findSchemaFault = (schema: JsonMap): SchemaFault | null => {
  try {
    return (
      findDraftFault(schema) ??
      findKeywordFault(schema) ??
      findPatternFault(schema) ??
      findReferenceFault(schema)
    );
  } catch (error) {
    if (error instanceof RangeError) return { place: '', message: 'is nested too deeply' };
    if (error instanceof URIError) return { place: '', message: 'has a key with a lone surrogate' };
    throw error;
  }
};

/**
 * Finds what `compileJsonSchema` refuses in a valid schema because it cannot be checked, or not in bounded time.
 *
 * @returns the first such part; null if there is none
 */
export const findUnsupported = (schema: JsonMap): SchemaFault | null => {
  try {
    boundSchema(schema);
    return null;
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error;
    return { place: error.place, message: error.reason };
  }
};

const findDraftFault = ({ $schema }: JsonMap): SchemaFault | null =>
  typeof $schema !== 'string' || /draft-07|2020-12/.test($schema)
    ? null
    : { place: '/$schema', message: 'must name draft 2020-12 or draft-07, or be absent' };

const count = { type: 'integer', minimum: 0 };
const schemas = { type: 'array', minItems: 1, items: { $ref: '#' } };
const schemasByName = { type: 'object', additionalProperties: { $ref: '#' } };
const names = { type: 'array', items: { type: 'string' } };
const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

/** Schemas of the keywords: https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft-07/schema */
const keywords: Readonly<Record<string, JsonMap>> = {
  ...each(['$id', '$schema', '$ref', '$anchor', '$comment', 'title', 'description', 'format'], {
    type: 'string',
  }),
  ...each(['pattern', 'contentMediaType', 'contentEncoding'], { type: 'string' }),
  ...each(['readOnly', 'writeOnly', 'deprecated', 'uniqueItems'], { type: 'boolean' }),
  ...each(['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'], { type: 'number' }),
  ...each(['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'], count),
  ...each(['maxContains', 'minContains'], count),
  ...each(['allOf', 'anyOf', 'oneOf', 'prefixItems'], schemas),
  ...each(['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties'], { $ref: '#' }),
  ...each(['unevaluatedItems', 'unevaluatedProperties', 'additionalItems', 'contentSchema'], { $ref: '#' }),
  ...each(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], schemasByName),
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  required: names,
  enum: { type: 'array' },
  examples: { type: 'array' },
  type: { anyOf: [{ enum: typeNames }, { type: 'array', minItems: 1, items: { enum: typeNames } }] },
  items: { $ref: '#' },
  dependentRequired: { type: 'object', additionalProperties: names },
  dependencies: { type: 'object', additionalProperties: { anyOf: [{ $ref: '#' }, names] } },
};

function each(list: readonly string[], schema: JsonMap): Record<string, JsonMap> {
  return Object.fromEntries(list.map((keyword) => [keyword, schema]));
}

/** Returns the validator of `items`, which in draft 7 may be a list of schemas. */
const validatorOf = (items: JsonMap): Validator =>
  new Validator(
    { type: ['object', 'boolean'], properties: { ...keywords, items } } as Schema,
    '2020-12',
    true,
  );

let validators: { readonly latest: Validator; readonly draft7: Validator } | undefined;

const findKeywordFault = (schema: JsonMap): SchemaFault | null => {
  validators ??= {
    latest: validatorOf({ $ref: '#' }),
    draft7: validatorOf({ anyOf: [{ $ref: '#' }, schemas] }),
  };
  const { errors } = validators[isDraft7(schema) ? 'draft7' : 'latest'].validate(schema);
  const cause = errors.at(-1);
  return cause === undefined
    ? null
    : { place: decodeURIComponent(cause.instanceLocation.slice(1)), message: describeFault(cause) };
};

const describeFault = ({ keyword, error, instanceLocation }: OutputUnit): string => {
  if (/\/type(\/\d+)?$/.test(instanceLocation)) return `must be one of ${typeNames.join(', ')}`;
  if (keyword === 'minimum') return 'must be >= 0';
  if (keyword === 'exclusiveMinimum') return 'must be > 0';
  if (keyword === 'minItems') return 'must have at least one item';
  const expected = error.slice(error.indexOf('"', error.indexOf('Expected')) + 1, error.lastIndexOf('"'));
  return `must be ${expected.replaceAll('", "', ' or ')}`;
};

const findPatternFault = (schema: JsonMap): SchemaFault | null => {
  for (const { place, keywords: found } of eachSchema(schema)) {
    const { pattern, patternProperties } = found;
    const fault = typeof pattern === 'string' ? faultOf(pattern) : null;
    if (fault !== null) return { place: `${place}/pattern`, message: fault };
    for (const name of Object.keys(isMap(patternProperties) ? patternProperties : {})) {
      const ofName = faultOf(name);
      if (ofName !== null) return { place: `${place}/patternProperties`, message: ofName };
    }
  }
  return null;
};

/** Returns why a pattern is invalid in Unicode mode, which JSON Schema Core §6.4 requires; null if it is valid. */
const faultOf = (pattern: string): string | null => {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return `must be a valid regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
};

const findReferenceFault = (schema: JsonMap): SchemaFault | null => {
  const copy = JSON.parse(JSON.stringify(schema)) as JsonMap;
  let lookup: Readonly<Record<string, unknown>>;
  try {
    lookup = dereference(copy as Schema);
  } catch (error) {
    return { place: '', message: error instanceof Error ? error.message : String(error) };
  }
  for (const { place, keywords: found } of eachSchema(copy)) {
    const { $ref, __absolute_ref__: uri = $ref } = found;
    if ($ref !== undefined && lookup[String(uri)] === undefined)
      return { place: `${place}/$ref`, message: `refers to ${String($ref)}, which is not in the schema` };
  }
  return null;
};

/** Keywords whose values are data. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values map names, which are not keywords, to schemas. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

interface FoundSchema {
  readonly place: string;
  readonly keywords: JsonMap;
}

/** The schema itself and all schemas nested in it. */
const eachSchema = function* (value: unknown, place = ''): Generator<FoundSchema> {
  if (Array.isArray(value))
    for (const [at, item] of value.entries()) yield* eachSchema(item, `${place}/${at}`);
  if (!isMap(value)) return;
  yield { place, keywords: value };
  for (const [keyword, inner] of Object.entries(value)) {
    if (DATA.has(keyword)) continue;
    const at = `${place}/${escapeKey(keyword)}`;
    if (!MAPS.has(keyword) || !isMap(inner)) yield* eachSchema(inner, at);
    else
      for (const [name, item] of Object.entries(inner)) yield* eachSchema(item, `${at}/${escapeKey(name)}`);
  }
};

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
