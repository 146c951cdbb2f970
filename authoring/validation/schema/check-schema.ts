import { findMistakes } from '@hookloom/bounded-schema';
import type { JsonObject } from '@hookloom/plugin-kit';
import type { Problem } from '../../../lib/workflows/definition/problem.ts';
import { type IsUnknown, toSchemaProblems } from './schema-problems.ts';

/**
 * Checks a value against a JSON Schema.
 *
 * @param place - JSON pointer to the value in the file
 * @param isUnknown - selects mistakes to ignore
 */
export const checkSchema = (
  schema: JsonObject,
  value: unknown,
  place: string,
  isUnknown?: IsUnknown,
): Problem[] => {
  try {
    return toSchemaProblems(findMistakes(schema, value), place, isUnknown);
  } catch (error) {
    return [
      {
        path: place,
        message: `can't be checked: its node type declares an invalid JSON Schema (${String(error)})`,
      },
    ];
  }
};
