import { isPlainObject, type JsonObject, Type } from '@hookloom/plugin-kit';
import { FORM_PAGE_ID } from '../../shared/forms/form-fields.ts';
import type { Problem } from '../../workflows/definition/problem.ts';
import { defineFeature } from '../webhook-feature.ts';

/**
 * GET shows a form generated from the body's schema; POST accepts its answers, converted to the schema's types and
 * validated against it. Bodies of other content types are only validated.
 */
export const form = defineFeature({
  name: 'form',
  schema: Type.Literal(true, {
    description:
      'Show a page with a form, made from schema, for GET, and take the form by POST: give methods both of them',
    examples: [true],
  }),
  check: (_value, { parameters }) => findProblems(parameters),
  stages: async () => (await import('./form-stages.ts')).serveForm(),
});

const findProblems = async ({ methods, schema, ...others }: JsonObject): Promise<Problem[]> => {
  const given = Array.isArray(methods) ? methods : [];
  const excluded = Object.keys(excluding).filter((name) => (others[name] ?? null) !== null);
  return [
    ...(['GET', 'POST'].every((method) => given.includes(method))
      ? []
      : [{ path: '', message: 'needs "methods": ["GET", "POST"], for the page and for its form' }]),
    ...excluded.map((name) => ({ path: '', message: `can't be beside ${name}: ${excluding[name]}` })),
    ...(isPlainObject(schema)
      ? await findSchemaProblems(schema)
      : [{ path: '', message: 'needs a schema, from which the form is made' }]),
  ];
};

const findSchemaProblems = async (schema: JsonObject): Promise<Problem[]> => {
  const { findFormProblems } = await import('../../shared/forms/form-problems.chunk.ts');
  return findFormProblems(schema, [FORM_PAGE_ID]).map(({ path, message }) => ({
    path: '',
    message: `makes no page of schema${path}, which ${message}`,
  }));
};

const excluding: Readonly<Record<string, string>> = {
  signature: 'browsers sign nothing',
  cors: 'the form is sent from its own page alone',
  body: 'the fields of the form are its body',
  upload: 'the fields of the form are its body',
};
