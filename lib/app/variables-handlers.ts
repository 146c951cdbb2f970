import { isDeepStrictEqual } from 'node:util';
import type { Clock, JsonValue, Logger } from '@hookloom/plugin-kit';
import { answerRoute } from '../http/api-route.ts';
import { type Call, readCaller } from '../http/create-handler.ts';
import { checkPrecondition, withTag } from '../http/entity-tags.ts';
import type { Registry } from '../plugins/load-registry.ts';
import { answerJson } from '../shared/answer.ts';
import {
  STORE_UNAVAILABLE,
  VARIABLE_IN_USE,
  VARIABLE_NOT_FOUND,
  VARIABLES_INVALID,
} from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { findNearest } from '../shared/near-name.ts';
import type { SettingsStore, Variable } from '../shared/settings/settings.ts';
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
import type { RegistrarParts } from '../triggers/registrations/registrar.ts';
import { findUsersOfVariable } from '../workflows/definition/find-users.ts';
import type { ListUsers } from '../workflows/definition/uses.ts';
import {
  listVariablesRoute,
  putVariableRoute,
  putVariablesRoute,
  removeVariableRoute,
  showVariableRoute,
} from './variables.ts';

export interface VariablesParts extends Omit<RegistrarParts, 'findNodeType'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsStore;
  readonly loadRegistry: () => Promise<Registry>;
  readonly listUsers: ListUsers;
}

/** How often a change without a precondition is tried when others are faster. */
const MAX_TRIES = 10;
const MAX_ERRORS = 500;

/** `/api/admin/variables`: the variables of the stage. */
export const answerVariables = (parts: VariablesParts) => {
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
      ...findVariableProblems(one).map(({ path, message }) => toError(`${one.pointer}${path}`, message)),
      ...(given.findIndex(({ name }) => name === one.name) < at
        ? [toError(`${one.pointer}/name`, 'is also the name of a variable before it')]
        : []),
    ]);
    refuse(errors);
    const author = { changedAt: new Date(clock.now()).toISOString(), changedBy: readCaller(event) };
    let before = 0;
    const stored = await change((current) => {
      check(current);
      before = current.revision;
      const next = setVariables(current, given, author);
      const excess = findExcess(next.content);
      if (excess !== null) refuse([toError(given.length === 1 ? '#/value' : '#/variables', excess)]);
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
        refuse([toError('#/name', 'must be the name in the address')]);
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
}: Omit<GivenVariable, 'value'> & { readonly value: unknown }): GivenVariable => ({
  name,
  type,
  value: value as JsonValue, // parsed from JSON
  description,
});

const toError = (pointer: string, detail: string) => ({ pointer, detail });

const refuse = (errors: readonly ReturnType<typeof toError>[]): void => {
  if (errors.length > 0)
    throw new AppError(VARIABLES_INVALID, { count: errors.length, errors: errors.slice(0, MAX_ERRORS) });
};
