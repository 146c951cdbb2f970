import { type JsonValue, parseJson as parseExactly } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import { VARIABLE_TYPES, type Variable, type VariableType } from '../../lib/shared/settings/settings.ts';
import { type AdminApi, ApiProblem, removeUnused } from './admin-api.ts';
import { addTo, type CommandContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { describeExpiry, EXPIRES } from './credential-api.ts';
import { printJson } from './io.ts';
import { parseJson } from './parse-json.ts';
import { JSON_OUTPUT } from './read-arguments.ts';
import { printTable } from './table.ts';

export const VARIABLES = '/api/admin/variables';

const variablePath = (name: string): string => `${VARIABLES}/${encodeURIComponent(name)}`;

export const addVariableCommands = (program: Command, context: CommandContext): void => {
  const group = program
    .command('variable')
    .description('manage the values of a stage that workflows read as $vars');
  const add = addTo(group, context);

  add('list', {
    about: 'list the variables of the stage',
    options: [JSON_OUTPUT],
    examples: ['variable list'],
    run: async ({ io, target }, { json }) => {
      const { variables } = await target.api.call<VariableList>('GET', VARIABLES);
      if (json === true) return printJson({ variables }, io);
      if (variables.length === 0) return io.note('There are no variables.');
      const rows = variables.map(({ name, type, value, description, expiresAt }) => [
        name,
        type,
        variableToText(value),
        describeExpiry(expiresAt),
        description ?? '-',
      ]);
      const titles = ['NAME', 'TYPE', 'VALUE', 'EXPIRES', 'DESCRIPTION'];
      printTable({ titles, rows, texts: ['VALUE', 'DESCRIPTION'] }, io);
    },
  });

  add('get', {
    about: 'print the value of a variable; text as it is, any other type as JSON',
    arguments: [VARIABLE],
    options: [['--json', 'print all that is known of it, as JSON']],
    examples: ['variable get region'],
    run: async (name, { io, target }, { json }) => {
      const found = await target.api.call<Variable>('GET', variablePath(name));
      if (json === true) printJson(found, io);
      else io.print(variableToText(found.value));
    },
  });

  add('set', {
    about: 'create or change a variable; workflows read the new value from their next start on',
    arguments: [
      ['<name>', 'its name: letters, digits and _'],
      ['<value>', 'its value'],
    ],
    options: [
      ['--type <type>', `${VARIABLE_TYPES.join(', ')} (default: its type so far, or string)`, readType],
      ['--description <text>', 'what it is for'],
      EXPIRES,
    ],
    examples: ['variable set region eu-central-1 --description Europe'],
    run: async (name, text, { io, target: { api } }, { type, description, expires }) => {
      const used = type ?? (await findType(name, api)) ?? 'string';
      const value = used === 'string' ? text : readVariableValue(name, text, used);
      const stored = await api.call<Variable & { readonly changed: boolean }>('PUT', variablePath(name), {
        body: { type: used, value, description, expiresAt: expires },
      });
      io.print(`${name}: ${stored.changed ? `set, revision ${stored.revision}` : 'unchanged'}`);
    },
  });

  add('remove', {
    about: 'remove a variable',
    arguments: [VARIABLE],
    options: [['--force', 'remove it even if workflows read it']],
    examples: ['variable remove region'],
    run: async (name, { io, target }, { force }) => {
      await removeUnused(name, variablePath(name), force, target.api);
      io.print(`${name}: removed`);
    },
  });
};

const VARIABLE = ['<name>', 'name of the variable'] as const;

/** The answer of the route that lists them. */
export interface VariableList {
  readonly variables: readonly Variable[];
}

/** @returns null if there is no such variable */
const findType = async (name: string, api: AdminApi): Promise<VariableType | null> => {
  try {
    return (await api.call<Variable>('GET', variablePath(name))).type;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'variable-not-found') return null;
    throw error;
  }
};

const variableToText = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** @throws CommandError */
const readVariableValue = (name: string, text: string, type: Exclude<VariableType, 'string'>): unknown => {
  if (type === 'json') return parseJson(text, `value of ${name}`);
  try {
    const value = parseExactly(text);
    if (typeof value === type) return value;
  } catch {
    // no JSON
  }
  throw new CommandError(`The value of ${name} is not a ${type}: ${JSON.stringify(text)}`);
};

const readType = (text: string): VariableType => {
  const type = VARIABLE_TYPES.find((known) => known === text);
  if (type === undefined)
    throw usageError(`${JSON.stringify(text)} is not a type: ${VARIABLE_TYPES.join(', ')}`);
  return type;
};
