import { isDraft7 } from '@hookloom/bounded-schema';
import type { JsonObject } from '@hookloom/plugin-kit';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Problem } from '../../definition/problem.ts';
import { type IsUnknown, toSchemaProblems } from './schema-problems.ts';

/**
 * Checks a value against a JSON Schema.
 * @param place - JSON pointer to the value in the file
 * @param isUnknown - selects errors to ignore
 */
export const checkSchema = (
  schema: JsonObject,
  value: unknown,
  place: string,
  isUnknown?: IsUnknown,
): Problem[] => {
  try {
    const validate = compileSchema(schema);
    return validate(value) ? [] : toSchemaProblems(validate.errors ?? [], place, isUnknown);
  } catch (error) {
    return [
      { path: place, message: `can't be checked: its type declares no valid JSON Schema (${String(error)})` },
    ];
  }
};

/** By identity, for as long as the schema is in use: compiling takes a thousand times as long as validating. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

/** Own properties alone, and multiples of decimals, as the checkers have them that a run uses. */
const options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  ownProperties: true,
  multipleOfPrecision: 9,
} as const;

/** One for all schemas of a draft: it compiles the schema of schemas, which takes longer than most of them. */
const ajvs = new Map<typeof Ajv | typeof Ajv2020, Ajv>();

/** The checker for a schema of its draft. */
export const findAjv = (schema: JsonObject): Ajv => {
  const Draft = isDraft7(schema) ? Ajv : Ajv2020;
  const ajv = ajvs.get(Draft) ?? new Draft(options);
  ajvs.set(Draft, ajv);
  return ajv;
};

/** @throws Error when it is no JSON Schema */
export const compileSchema = (schema: JsonObject): ValidateFunction => {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  try {
    const ajv = findAjv(schema);
    const validate = ajv.compile(schema);
    ajv.removeSchema(schema); // Ajv would keep it for good, and refuse another one of the same $id
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    ajvs.clear(); // they have parts of what they refused
    throw error;
  }
};
