import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { type Call, readCaller, serveRoutes } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import type { BodyLimits } from '../http/read-json-body.ts';
import { answerJson } from '../shared/answer.ts';
import {
  STORE_UNAVAILABLE,
  VARIABLE_IN_USE,
  VARIABLE_NOT_FOUND,
  VARIABLES_INVALID,
} from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { findNearest } from '../shared/near-name.ts';
import { optional, text, word } from '../shared/query-fields.ts';
import { VARIABLE_TYPES, type Variable } from '../shared/settings/settings.ts';
import {
  findExcess,
  findVariableProblems,
  type GivenVariable,
  setVariables,
  toValues,
  type Variables,
  withoutVariable,
} from '../shared/settings/variables.ts';
import { changeRegistrations } from '../triggers/registrations/change-registrations.ts';
import { findUsersOfVariable } from '../workflows/definition/find-users.ts';
import { described, instant } from './answers.ts';
import { expiry, shownExpiry } from './expiry-fields.ts';
import { answerDisabledPlugins } from './plugins.ts';
import type { SettingsParts } from './ports.ts';

const anyValue = v.unknown();

const type = v.picklist(VARIABLE_TYPES, `must be one of ${VARIABLE_TYPES.join(', ')}`);

const variable = {
  name: v.string(),
  type,
  value: anyValue,
  description: v.nullable(v.string()),
  expiresAt: shownExpiry,
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
  expiresAt: v.optional(v.nullable(expiry)),
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

/** What an operator sets on a stage without deploying: variables, and which plugins are disabled. */
export const createSettings = (parts: SettingsParts) =>
  serveRoutes(parts, [...answerVariables(parts), ...answerDisabledPlugins(parts)]);

/** How often a change without a precondition is tried when others are faster. */
const MAX_TRIES = 10;
const MAX_ERRORS = 500;

/** `/api/admin/variables`: the variables of the stage. */
const answerVariables = (parts: SettingsParts) => {
  const { settings, clock } = parts;

  /**
   * Changes the variables, in one write, and the registrations of triggers that read them.
   *
   * @param make - checks the precondition, and makes the next revision of what is stored; the same if nothing changes
   */
  const change = async (make: (current: Variables) => Variables): Promise<Variables> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const current = await settings.findLatest('variables');
      const next = make(current);
      if (next.revision === current.revision || (await store(current, next))) return next;
    }
    throw new AppError(STORE_UNAVAILABLE, {});
  };

  const store = async (current: Variables, next: Variables): Promise<boolean> => {
    const [before, after] = [toValues(current.content), toValues(next.content)];
    const changed = Object.keys({ ...before, ...after }).filter(
      (name) => !isDeepStrictEqual(before[name], after[name]),
    );
    const [definitions, { findNodeType }] = await Promise.all([
      parts.listUsers({ kind: 'variables', names: changed }),
      parts.loadRegistry(),
    ]);
    const put = () => settings.put('variables', next);
    return changeRegistrations(definitions, { before, after }, put, { ...parts, findNodeType });
  };

  /** @throws AppError `VARIABLES_INVALID` */
  const set = async (
    { event, addLogFields }: Call,
    given: readonly (GivenVariable & { readonly pointer: string })[],
    check: (current: Variables) => void,
  ) => {
    const errors = given.flatMap((one, at) => [
      ...findVariableProblems(one).map(({ path, message }) =>
        toVariableError(`${one.pointer}${path}`, message),
      ),
      ...(given.findIndex(({ name }) => name === one.name) < at
        ? [toVariableError(`${one.pointer}/name`, 'is also the name of a variable before it')]
        : []),
    ]);
    refuseVariables(errors);
    const author = { changedAt: new Date(clock.now()).toISOString(), changedBy: readCaller(event) };
    let before = 0;
    const stored = await change((current) => {
      check(current);
      before = current.revision;
      const next = setVariables(current, given, author);
      const excess = findExcess(next.content);
      if (excess !== null)
        refuseVariables([toVariableError(given.length === 1 ? '#/value' : '#/variables', excess)]);
      return next;
    });
    const variables = given.map(({ name }) => requireVariable(stored, name));
    const changed = variables.filter(({ revision }) => revision > before);
    addLogFields({ variables: variables.map(toLogged).join(' '), changed: changed.length });
    return variables.map((variable) => ({ ...variable, changed: changed.includes(variable) }));
  };

  return [
    answerRoute(listVariablesRoute, async () => {
      const { content: variables, revision } = await settings.findLatest('variables');
      const timestamp = new Date(clock.now()).toISOString();
      return withTag(answerJson(200, { count: variables.length, variables, timestamp }), revision);
    }),

    answerRoute(putVariablesRoute, async (call) => {
      const given = call.body.variables.map((one, at) => ({ ...toGiven(one), pointer: `#/variables/${at}` }));
      const stored = await set(call, given, ({ revision }) => {
        const replaced = { resource: 'list of variables', currentVersion: revision };
        checkPrecondition(call.event, replaced, clock.now());
      });
      return answerJson(200, { count: stored.length, variables: stored });
    }),

    answerRoute(showVariableRoute, async ({ params }) => {
      const found = requireVariable(await settings.findLatest('variables'), params.name);
      return withTag(answerJson(200, found), found.revision);
    }),

    answerRoute(putVariableRoute, async (call) => {
      const { name } = call.params;
      if (call.body.name !== undefined && call.body.name !== name)
        refuseVariables([toVariableError('#/name', 'must be the name in the address')]);
      let isNew = false;
      const [stored] = await set(
        call,
        [{ ...toGiven({ ...call.body, name }), pointer: '#' }],
        ({ content }) => {
          const known = content.find((variable) => variable.name === name);
          isNew = known === undefined;
          checkPrecondition(call.event, toReplaced(name, known), clock.now());
        },
      );
      const variable = stored as NonNullable<typeof stored>;
      return withTag(answerJson(isNew ? 201 : 200, variable), variable.revision);
    }),

    answerRoute(removeVariableRoute, async ({ event, params: { name }, query, addLogFields }) => {
      const known = requireVariable(await settings.findLatest('variables'), name);
      if (query.force !== 'true') {
        const users = findUsersOfVariable(name, await parts.listUsers({ kind: 'variables', names: [name] }));
        if (users.length > 0) throw new AppError(VARIABLE_IN_USE, { name, users });
      }
      addLogFields({ variables: toLogged(known) });
      await change((current) => {
        const found = current.content.find((variable) => variable.name === name);
        checkPrecondition(event, toReplaced(name, found), clock.now());
        requireVariable(current, name);
        return withoutVariable(current, name);
      });
      return answerJson(200, { name, removed: true, lastRevision: known.revision });
    }),
  ];
};

/** @throws AppError `VARIABLE_NOT_FOUND` */
const requireVariable = ({ content }: Variables, name: string): Variable => {
  const found = content.find((variable) => variable.name === name);
  if (found !== undefined) return found;
  const near = findNearest(
    name,
    content.map((variable) => variable.name),
  );
  throw new AppError(VARIABLE_NOT_FOUND, { near });
};

const toReplaced = (name: string, known: Variable | undefined) => ({
  resource: `variable ${name.slice(0, 64)}`,
  currentVersion: known?.revision ?? null,
});

const toLogged = ({ name, revision }: Variable): string => `${name}@${revision}`;

const toGiven = ({
  name,
  type,
  value,
  description,
  expiresAt,
}: Omit<GivenVariable, 'value'> & { readonly value: unknown }): GivenVariable => ({
  name,
  type,
  value: value as JsonValue, // parsed from JSON
  description,
  expiresAt,
});

const toVariableError = (pointer: string, detail: string) => ({ pointer, detail });

const refuseVariables = (errors: readonly ReturnType<typeof toVariableError>[]): void => {
  if (errors.length > 0)
    throw new AppError(VARIABLES_INVALID, { count: errors.length, errors: errors.slice(0, MAX_ERRORS) });
};
