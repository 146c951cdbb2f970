import { isPlainObject, type JsonObject, Type } from '@hookloom/plugin-kit';
import { FORM_PAGE_ID } from '../../shared/forms/form-fields.ts';
import { type Problem, problemsWhere } from '../../workflows/definition/problem.ts';
import { defineFeature } from '../webhook-feature.ts';

/**
 * GET shows a form generated from the body's schema; POST accepts its answers, converted to the schema's types and
 * validated against it. Bodies of other content types are only validated.
 */
export const form = defineFeature({
  name: 'form',
  schema: Type.Literal(true, {
    description:
      'Show a page with a form built from schema on GET, and accept the form on POST: list both in methods',
    examples: [true],
  }),
  check: (_value, { parameters }) => findProblems(parameters),
  stages: async () => (await import('./form-stages.ts')).serveForm(),
});

const findProblems = async ({ methods, schema, ...others }: JsonObject): Promise<Problem[]> => {
  const isComplete = ['GET', 'POST'].every((method) => Array.isArray(methods) && methods.includes(method));
  const found = problemsWhere(
    [!isComplete, '', 'needs "methods": ["GET", "POST"]: GET shows the page, POST submits the form'],
    ...Object.entries(excluding).map(
      ([name, why]) =>
        [(others[name] ?? null) !== null, '', `can't be combined with ${name}: ${why}`] as const,
    ),
    [!isPlainObject(schema), '', 'needs a schema, from which the form is built'],
  );
  return isPlainObject(schema) ? [...found, ...(await findSchemaProblems(schema))] : found;
};

const findSchemaProblems = async (schema: JsonObject): Promise<Problem[]> => {
  const { findFormProblems } = await import('../../shared/forms/form-problems.chunk.ts');
  return findFormProblems(schema, [FORM_PAGE_ID]).map(({ path, message }) => ({
    path: '',
    message: `can't build a page from schema${path}, which ${message}`,
  }));
};

const excluding: Readonly<Record<string, string>> = {
  signature: 'browsers sign nothing',
  cors: 'the form can only be sent from its own page',
  body: 'the body consists of the form fields',
  upload: 'the body consists of the form fields',
};
