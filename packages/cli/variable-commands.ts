import { type JsonValue, parseJson as parseExactly } from '@hookloom/plugin-kit';
import type { Command } from 'commander';
import { VARIABLE_TYPES, type Variable, type VariableType } from '../../lib/shared/settings/settings.ts';
import { type AdminApi, ApiProblem } from './admin-api.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError, refuseUsed, usageError } from './command-error.ts';
import { explain } from './help.ts';
import { parseJson } from './parse-json.ts';
import { printTable } from './table.ts';

export const VARIABLES = '/api/admin/variables';

const toPath = (name: string): string => `${VARIABLES}/${encodeURIComponent(name)}`;

export const addVariableCommands = (program: Command, { io, onTarget }: CommandContext): void => {
  const variable = program
    .command('variable')
    .description('manage the values of a stage that workflows read as $vars');

  variable
    .command('list')
    .description('list the variables of the stage')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['variable list']))
    .action(({ json }: { readonly json?: true }) =>
      onTarget(async ({ target }) => {
        const { variables } = await target.api.call<{ readonly variables: readonly Variable[] }>(
          'GET',
          VARIABLES,
        );
        if (json === true) return io.print(JSON.stringify({ variables }, null, 2));
        if (variables.length === 0) return io.note('There are no variables.');
        const rows = variables.map(({ name, type, value, description }) => [
          name,
          type,
          variableToText(value),
          description ?? '-',
        ]);
        const titles = ['NAME', 'TYPE', 'VALUE', 'DESCRIPTION'];
        printTable({ titles, rows, texts: ['VALUE', 'DESCRIPTION'] }, io);
      }),
    );

  variable
    .command('get')
    .description('print the value of a variable; text as it is, any other type as JSON')
    .argument('<name>', 'name of the variable')
    .option('--json', 'print all that is known of it, as JSON')
    .addHelpText('after', explain(['variable get region']))
    .action((name: string, { json }: { readonly json?: true }) =>
      onTarget(async ({ target }) => {
        const found = await target.api.call<Variable>('GET', toPath(name));
        io.print(json === true ? JSON.stringify(found, null, 2) : variableToText(found.value));
      }),
    );

  variable
    .command('set')
    .description('create or change a variable; workflows read the new value from their next start on')
    .argument('<name>', 'its name: letters, digits and _')
    .argument('<value>', 'its value')
    .option('--type <type>', `${VARIABLE_TYPES.join(', ')} (default: its type so far, or string)`, readType)
    .option('--description <text>', 'what it is for')
    .addHelpText('after', explain(['variable set region eu-central-1 --description Europe']))
    .action((name: string, text: string, { type, description }: SetOptions) =>
      onTarget(async ({ target }) => {
        const used = type ?? (await findType(name, target.api)) ?? 'string';
        const value = used === 'string' ? text : readValue(name, text, used);
        const stored = await target.api.call<Variable & { readonly changed: boolean }>('PUT', toPath(name), {
          body: { type: used, value, ...(description === undefined ? {} : { description }) },
        });
        io.print(`${name}: ${stored.changed ? `set, revision ${stored.revision}` : 'unchanged'}`);
      }),
    );

  variable
    .command('remove')
    .description('remove a variable')
    .argument('<name>', 'name of the variable')
    .option('--force', 'remove it even if workflows read it')
    .addHelpText('after', explain(['variable remove region']))
    .action((name: string, { force }: { readonly force?: true }) =>
      onTarget(async ({ target }) => {
        await remove(name, force === true, target.api);
        io.print(`${name}: removed`);
      }),
    );
};

interface SetOptions {
  readonly type?: VariableType;
  readonly description?: string;
}

/** @returns null if there is no such variable */
const findType = async (name: string, api: AdminApi): Promise<VariableType | null> => {
  try {
    return (await api.call<Variable>('GET', toPath(name))).type;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'variable-not-found') return null;
    throw error;
  }
};

/** @throws CommandError that names the workflows that read it, unless forced */
const remove = async (name: string, isForced: boolean, api: AdminApi): Promise<void> => {
  try {
    await api.call('DELETE', toPath(name), { query: { force: isForced ? 'true' : null } });
  } catch (error) {
    if (error instanceof ApiProblem && Array.isArray(error.members.users))
      refuseUsed(name, error.members.users as readonly string[]);
    throw error;
  }
};

const variableToText = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** @throws CommandError */
const readValue = (name: string, text: string, type: Exclude<VariableType, 'string'>): unknown => {
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
