import type { JsonObject, Question } from '@hookloom/plugin-kit';
import { checkAnswers } from '../shared/forms/check-answers.ts';
import type { FormError } from '../shared/forms/form-error.ts';
import { readForm } from '../shared/forms/read-form.ts';

interface ReadAnswer {
  readonly body: JsonObject;
  readonly errors: readonly FormError[];
}

/**
 * Reads the fields of an answer.
 *
 * @param given - the fields sent, without the decision
 * @param isForm - whether all values are strings
 */
export const readAnswer = ({ fields }: Question, given: JsonObject, isForm: boolean): ReadAnswer => {
  if (fields === undefined) return { body: given, errors: [] };
  const body = isForm ? (readForm(fields, given) as JsonObject) : given;
  return { body, errors: checkAnswers(fields, body) };
};
