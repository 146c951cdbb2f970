import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import { isAppError } from '../lib/errors.ts';
import { CommandError, EXIT, type ExitCode, usageError } from './command-error.ts';
import * as credential from './credential-commands.ts';
import { help } from './help.ts';
import type { Io } from './io.ts';
import type { OpenTarget } from './target.ts';
import * as workflow from './workflow-commands.ts';

export interface CommandLine {
  readonly io: Io;
  readonly openTarget: OpenTarget;
  readonly loadNodeTypes: () => Promise<FindNodeType>;
}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'string' },
  json: { type: 'boolean' },
  stage: { type: 'string' },
  region: { type: 'string' },
  type: { type: 'string' },
  username: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  all: { type: 'boolean' },
} as const;

/** Runs one command line. Never rejects for what a user or the store can do. */
export const run = async (args: readonly string[], commandLine: CommandLine): Promise<ExitCode> => {
  const { io } = commandLine;
  try {
    await dispatch(args, commandLine);
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommandError) {
      io.note(io.paint('red', error.message));
      if (error.exitCode === EXIT.usage) io.note('See --help.');
      return error.exitCode;
    }
    if (isAppError(error)) {
      const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : '';
      io.note(io.paint('red', `${error.message}${cause}`));
      return EXIT.failed;
    }
    throw error;
  }
};

const dispatch = async (args: readonly string[], commandLine: CommandLine): Promise<void> => {
  const { io } = commandLine;
  if (args.length === 1 && args[0] === '--version') return io.print(readVersion());
  const { values, positionals } = parse(args);
  const [group = '', command = '', ...names] = positionals;
  if (values.help === true || group === '' || group === 'help') return io.print(help);
  if (group === 'workflow') return runWorkflow(command, names, values, commandLine);
  if (group === 'credential') return runCredential(command, names, values, commandLine);
  throw usageError(`There is no command "${group}".`);
};

type Values = ReturnType<typeof parse>['values'];

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw usageError((error as Error).message);
  }
};

const runWorkflow = async (
  command: string,
  names: readonly string[],
  values: Values,
  { io, openTarget, loadNodeTypes }: CommandLine,
): Promise<void> => {
  const isKnown = ['validate', 'put', 'get', 'list', 'enable', 'disable', 'remove'].includes(command);
  if (!isKnown) throw usageError(`There is no command "workflow ${command}".`);
  const findNodeType = await loadNodeTypes();
  if (command === 'validate') return workflow.validateFiles(atLeastOne(names, 'FILE'), { io, findNodeType });

  const target = openTarget(values);
  const context = { io, target, findNodeType };
  try {
    switch (command) {
      case 'put':
        return await workflow.putFiles(atLeastOne(names, 'FILE'), context);
      case 'get':
        return await workflow.printWorkflow(
          exactlyOne(names, 'ID'),
          readVersionNumber(values.version),
          context,
        );
      case 'list':
        return await workflow.listWorkflows(values.json === true, context);
      case 'remove':
        return await workflow.removeWorkflow(exactlyOne(names, 'ID'), context);
      default:
        return await workflow.switchWorkflow(exactlyOne(names, 'ID'), command === 'enable', context);
    }
  } finally {
    target.close();
  }
};

const runCredential = async (
  command: string,
  names: readonly string[],
  values: Values,
  { io, openTarget }: CommandLine,
): Promise<void> => {
  if (!['create', 'list', 'rotate', 'revoke'].includes(command)) {
    throw usageError(`There is no command "credential ${command}".`);
  }
  const target = openTarget(values);
  const context = { io, target };
  const isChosen = values['password-stdin'] === true;
  try {
    switch (command) {
      case 'create': {
        const { type, username } = values;
        return await credential.create({ id: exactlyOne(names, 'ID'), type, username, isChosen }, context);
      }
      case 'rotate':
        return await credential.rotate(exactlyOne(names, 'ID'), isChosen, context);
      case 'revoke': {
        const [id, ...secretIds] = atLeastOne(names, 'ID');
        const isAll = values.all === true;
        return await credential.revoke({ id, secretId: secretIds[0], isAll }, context);
      }
      default:
        return await credential.list(values.json === true, context);
    }
  } finally {
    target.close();
  }
};

const atLeastOne = (names: readonly string[], what: string): [string, ...string[]] => {
  const [first, ...rest] = names;
  if (first === undefined) throw usageError(`Name at least one ${what}.`);
  return [first, ...rest];
};

const exactlyOne = (names: readonly string[], what: string): string => {
  const [first, ...rest] = atLeastOne(names, what);
  if (rest.length > 0) throw usageError(`Name one ${what}, not ${names.length}.`);
  return first;
};

const readVersionNumber = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const version = Number(text);
  if (!Number.isInteger(version) || version < 1)
    throw usageError('--version must be a whole number from 1 on.');
  return version;
};

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
