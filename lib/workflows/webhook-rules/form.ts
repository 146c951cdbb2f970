import { isPlainObject, type JsonObject, Type } from '@hookloom/plugin-kit';
import { findFormProblems } from '../../shared/forms/find-form-problems.ts';
import { FORM_PAGE_ID } from '../../shared/forms/form-fields.ts';
import type { Problem } from '../definition/problem.ts';
import { defineRule } from './webhook-rule.ts';

/** A page with a form, whose answers start runs. */
export const form = defineRule(
  Type.Literal(true, {
    description:
      'Show a page with a form, made from schema, for GET, and take the form by POST: give methods both of them',
    examples: [true],
  }),
  { findProblems: (_value, { parameters }) => findProblems(parameters) },
);

const findProblems = ({ methods, schema, ...others }: JsonObject): Problem[] => {
  const given = Array.isArray(methods) ? methods : [];
  const excluded = Object.keys(excluding).filter((name) => (others[name] ?? null) !== null);
  return [
    ...(['GET', 'POST'].every((method) => given.includes(method))
      ? []
      : [{ path: '', message: 'needs "methods": ["GET", "POST"], for the page and for its form' }]),
    ...excluded.map((name) => ({ path: '', message: `can't be beside ${name}: ${excluding[name]}` })),
    ...(isPlainObject(schema)
      ? findFormProblems(schema, [FORM_PAGE_ID]).map(({ path, message }) => ({
          path: '',
          message: `makes no page of schema${path}, which ${message}`,
        }))
      : [{ path: '', message: 'needs a schema, from which the form is made' }]),
  ];
};

const excluding: Readonly<Record<string, string>> = {
  signature: 'browsers sign nothing',
  cors: 'the form is sent from its own page alone',
  body: 'the fields of the form are its body',
  upload: 'the fields of the form are its body',
};
