import { Ajv } from 'ajv';
import type { JsonObject } from '../../../contract/json.ts';
import type { Problem } from '../../definition/problem.ts';
import { type IsUnknown, toSchemaProblems } from './schema-problems.ts';

/**
 * Checks a value against a JSON Schema.
 * @param place - JSON pointer to the value in the file
 * @param isUnknown - selects errors to ignore
 */
export type CheckSchema = (
  schema: JsonObject,
  value: unknown,
  place: string,
  isUnknown?: IsUnknown,
) => Problem[];

/** Caches compiled schemas: compiling takes a thousand times as long as validating. */
export const createCheckSchema = (): CheckSchema => {
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true });
  return (schema, value, place, isUnknown) => {
    try {
      const validate = ajv.compile(schema); // cached by identity
      return validate(value) ? [] : toSchemaProblems(validate.errors ?? [], place, isUnknown);
    } catch (error) {
      return [
        { path: place, message: `can't be checked: the schema of its type is none (${String(error)})` },
      ];
    }
  };
};
