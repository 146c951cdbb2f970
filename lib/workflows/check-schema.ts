import { Ajv, type ErrorObject } from 'ajv';
import type { JsonObject } from '../contract/json.ts';
import type { Problem } from './problem.ts';

/** Checks a value against a JSON Schema. `place` is the JSON pointer to where the value is in the file. */
export type CheckSchema = (schema: JsonObject, value: unknown, place: string) => Problem[];

/** Compiling a schema takes a thousand times as long as using it, so each is compiled once. */
export const createCheckSchema = (): CheckSchema => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  return (schema, value, place) => {
    try {
      const validate = ajv.compile(schema); // it remembers schemas by identity
      return validate(value) ? [] : (validate.errors ?? []).map((error) => toProblem(error, place));
    } catch (error) {
      return [
        { path: place, message: `can't be checked: the schema of its type is none (${String(error)})` },
      ];
    }
  };
};

const toProblem = (
  { instancePath, keyword, message = 'is not valid', params }: ErrorObject,
  place: string,
): Problem => {
  const path = `${place}${instancePath}`;
  switch (keyword) {
    case 'additionalProperties':
      return { path, message: `has the key "${params.additionalProperty}", which is not known here` };
    case 'required':
      return { path, message: `lacks the key "${params.missingProperty}"` };
    case 'enum':
      return { path, message: `must be one of ${params.allowedValues.join(', ')}` };
    default:
      return { path, message };
  }
};
