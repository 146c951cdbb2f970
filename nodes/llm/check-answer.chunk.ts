import { findErrors } from '@hookloom/bounded-schema';
import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import type { Answer } from './question.ts';

/** What is wrong with an answer. */
export interface AnswerProblem {
  readonly kind: 'notJson' | 'mismatch';
  /** `{ place, keyword, message }` of each, the place as a JSON Pointer; empty for `notJson`. */
  readonly faults: readonly JsonObject[];
}

type Checked = { readonly json: JsonValue } | { readonly problem: AnswerProblem };

const MAX_FAULTS = 20;

/**
 * Creates a function that reads the JSON of an answer, and checks it against the schema.
 *
 * @throws RangeError that says what of the schema can't be used, before a model is asked
 */
export const createCheck = (schema: JsonObject): ((answer: Pick<Answer, 'value' | 'text'>) => Checked) => {
  findErrors(schema, {});
  return ({ value, text }) => {
    const json = value ?? parseText(text);
    if (json === undefined) return { problem: { kind: 'notJson', faults: [] } };
    const faults = findFaults(schema, json);
    return faults.length === 0 ? { json } : { problem: { kind: 'mismatch', faults } };
  };
};

/** What the checker refuses to look at, such as a value that is nested too deep, is a fault like any other. */
const findFaults = (schema: JsonObject, json: JsonValue): readonly JsonObject[] => {
  try {
    return findErrors(schema, json).slice(0, MAX_FAULTS);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = error.message.replace('Parameter "value"', 'The answer');
    return [{ place: '', keyword: 'schema', message }];
  }
};

/** @returns undefined for a text that is not JSON, and has none in a code fence */
const parseText = (text: string): JsonValue | undefined => parse(text) ?? parse(findFenced(text));

/** What is between the first code fence of a text and the last: models put JSON there, with a word around it. */
const findFenced = (text: string): string => {
  const open = text.indexOf('```');
  const start = text.indexOf('\n', open);
  const end = text.lastIndexOf('```');
  return open === -1 || start === -1 || end < start ? '' : text.slice(start + 1, end);
};

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
