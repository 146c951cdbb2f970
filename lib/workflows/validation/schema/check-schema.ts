import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonObject } from '../../../contract/json.ts';
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
    return [{ path: place, message: `can't be checked: the schema of its type is none (${String(error)})` }];
  }
};

/** By identity, for as long as the schema is in use: compiling takes a thousand times as long as validating. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

const createAjv = (): Ajv => new Ajv({ allErrors: true, strict: false, verbose: true, logger: false });

/** One for all schemas: it compiles the schema of schemas, which takes longer than most of them. */
let ajv = createAjv();

/** @throws Error when it is no JSON Schema */
export const compileSchema = (schema: JsonObject): ValidateFunction => {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  try {
    const validate = ajv.compile(schema);
    ajv.removeSchema(schema); // Ajv would keep it for good, and refuse another one of the same $id
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    ajv = createAjv(); // the one before has parts of what it refused
    throw error;
  }
};
