import * as v from 'valibot';
import { defineRoute } from '../http/api-route.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import { optional, text, word } from '../shared/query-fields.ts';
import { VARIABLE_TYPES } from '../shared/settings/settings.ts';
import { described, instant } from './answers.ts';

const anyValue = v.unknown();

const type = v.picklist(VARIABLE_TYPES, `must be one of ${VARIABLE_TYPES.join(', ')}`);

const variable = {
  name: v.string(),
  type,
  value: anyValue,
  description: v.nullable(v.string()),
  changedAt: instant,
  changedBy: described(v.nullable(v.string()), 'ARN of the caller'),
  revision: described(v.number(), 'Its `ETag`; the same variable never has the same one again'),
};

const setVariable = v.object({ ...variable, changed: v.boolean() });

/** The limits of values are in `lib/shared/settings/variables.ts`; a value may be nested less deeply than an expression can read. */
const variableLimits: BodyLimits = { maxBytes: 500_000, maxDepth: 50 };

/** What is sent for a variable: also what was read, whose time, caller and revision are not taken over. */
const given = {
  type: v.optional(type),
  value: anyValue,
  description: v.optional(v.nullable(text)),
  changedAt: v.optional(v.unknown()),
  changedBy: v.optional(v.unknown()),
  revision: v.optional(v.unknown()),
};

const MAX_GIVEN = 200;

const setProblems = ['VARIABLES_INVALID', 'REGISTRATION_REFUSED'] as const;

export const listVariablesRoute = defineRoute({
  route: 'GET /api/admin/variables',
  summary: 'all variables of the stage, by name',
  answers: {
    200: v.object({ count: v.number(), variables: v.array(v.object(variable)), timestamp: instant }),
  },
  hasTag: true,
});

export const putVariablesRoute = defineRoute({
  route: 'PUT /api/admin/variables',
  summary: 'sets several variables, all or none; others stay as they are',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({
    variables: v.pipe(
      v.array(v.strictObject({ name: text, ...given })),
      v.minLength(1),
      v.maxLength(MAX_GIVEN),
    ),
  }),
  bodyLimits: variableLimits,
  answers: { 200: v.object({ count: v.number(), variables: v.array(setVariable) }) },
  problems: setProblems,
});

export const showVariableRoute = defineRoute({
  route: 'GET /api/admin/variables/{name}',
  summary: 'one variable; its revision is the `ETag`',
  answers: { 200: v.object(variable) },
  hasTag: true,
  problems: ['VARIABLE_NOT_FOUND'],
});

export const putVariableRoute = defineRoute({
  route: 'PUT /api/admin/variables/{name}',
  summary: 'creates or changes a variable',
  headers: ['if-match', 'if-none-match'],
  body: v.strictObject({ name: v.optional(text), ...given }),
  bodyLimits: variableLimits,
  answers: { 200: setVariable, 201: setVariable },
  hasTag: true,
  problems: setProblems,
});

export const removeVariableRoute = defineRoute({
  route: 'DELETE /api/admin/variables/{name}',
  summary: 'removes a variable',
  query: v.object({
    force: optional(word(['true', 'false']), 'Whether to remove it although workflows read it'),
  }),
  headers: ['if-match', 'if-none-match'],
  answers: { 200: v.object({ name: v.string(), removed: v.literal(true), lastRevision: v.number() }) },
  problems: ['VARIABLE_NOT_FOUND', 'VARIABLE_IN_USE', 'REGISTRATION_REFUSED'],
});
