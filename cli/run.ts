import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { FindNodeType } from '../lib/contract/node-type.ts';
import { isAppError } from '../lib/shared/errors.ts';
import { CommandError, EXIT, type ExitCode, usageError } from './command-error.ts';
import * as credential from './credential-commands.ts';
import * as execution from './execution-commands.ts';
import { help } from './help.ts';
import type { Io } from './io.ts';
import {
  atLeastOne,
  checkTarget,
  exactlyOne,
  noNames,
  readId,
  readListQuery,
  readVersionNumber,
} from './read-arguments.ts';
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
  workflow: { type: 'string' },
  status: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  current: { type: 'boolean' },
} as const;

/** What each command takes beside `--help`, `--stage` and `--region`: what it would ignore, it refuses. */
const commands = new Map<string, readonly (keyof typeof options)[]>([
  ['workflow validate', []],
  ['workflow put', []],
  ['workflow get', ['version']],
  ['workflow list', ['json']],
  ['workflow enable', []],
  ['workflow disable', []],
  ['workflow remove', []],
  ['credential create', ['type', 'username', 'password-stdin']],
  ['credential list', ['json']],
  ['credential rotate', ['password-stdin']],
  ['credential revoke', ['all']],
  ['execution list', ['workflow', 'status', 'from', 'to', 'limit', 'cursor', 'json']],
  ['execution show', ['json']],
  ['execution retry', ['from', 'current']],
  ['execution cancel', []],
  ['execution watch', []],
]);

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

  const name = positionals.slice(0, 2).join(' ');
  const taken = commands.get(name);
  if (taken === undefined) throw usageError(`There is no command "${name}".`);
  const refused = Object.keys(values).find(
    (option) => !['stage', 'region', ...taken].includes(option as keyof Values),
  );
  if (refused !== undefined) throw usageError(`${name} does not take --${refused}.`);
  checkTarget(values);
  switch (group) {
    case 'workflow':
      return runWorkflow(command, names, values, commandLine);
    case 'credential':
      return runCredential(command, names, values, commandLine);
    default:
      return runExecution(command, names, values, commandLine);
  }
};

/** What stands behind `--`. */
export type Values = ReturnType<typeof parse>['values'];

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
  if (command === 'validate') {
    const files = atLeastOne(names, 'FILE');
    return workflow.validateFiles(files, { io, findNodeType: await loadNodeTypes() });
  }
  const target = openTarget(values);
  const context = { io, target };
  try {
    switch (command) {
      case 'put': {
        const files = atLeastOne(names, 'FILE');
        return await workflow.putFiles(files, { ...context, findNodeType: await loadNodeTypes() });
      }
      case 'get': {
        const version = readVersionNumber(values.version);
        return await workflow.printWorkflow(readId(names), version, context);
      }
      case 'list':
        noNames(names);
        return await workflow.listWorkflows(values.json === true, context);
      case 'remove':
        return await workflow.removeWorkflow(readId(names), context);
      default:
        return await workflow.switchWorkflow(readId(names), command === 'enable', context);
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
  const target = openTarget(values);
  const context = { io, target };
  const isChosen = values['password-stdin'] === true;
  try {
    switch (command) {
      case 'create': {
        const { type, username } = values;
        return await credential.create({ id: readId(names), type, username, isChosen }, context);
      }
      case 'rotate':
        return await credential.rotate(readId(names), isChosen, context);
      case 'revoke': {
        const [id, ...secretIds] = atLeastOne(names, 'ID');
        const secretId = secretIds.length === 0 ? undefined : exactlyOne(secretIds, 'SECRET_ID');
        return await credential.revoke({ id: readId([id]), secretId, isAll: values.all === true }, context);
      }
      default:
        noNames(names);
        return await credential.list(values.json === true, context);
    }
  } finally {
    target.close();
  }
};

type Work = (context: execution.ExecutionContext) => Promise<void>;

/** Runs a command about executions. */
const runExecution = async (
  command: string,
  names: readonly string[],
  values: Values,
  commandLine: CommandLine,
): Promise<void> => {
  const work = toWork(command, names, values, commandLine); // what is wrong is told before anything is opened
  const target = commandLine.openTarget(values);
  try {
    await work({ io: commandLine.io, target });
  } finally {
    target.close();
  }
};

const toWork = (
  command: string,
  names: readonly string[],
  values: Values,
  { loadNodeTypes }: CommandLine,
): Work => {
  const asJson = values.json === true;
  if (command === 'list') {
    noNames(names);
    const query = readListQuery(values);
    return (context) => execution.list(query, asJson, context);
  }
  const id = readId(names);
  switch (command) {
    case 'show':
      return (context) => execution.show(id, asJson, context);
    case 'retry': {
      const version = values.current === true ? 'current' : 'recorded';
      const options = { from: values.from ?? null, version } as const;
      return async (context) => execution.retry(id, options, context, await loadNodeTypes());
    }
    case 'cancel':
      return (context) => execution.cancel(id, context);
    default:
      return (context) => execution.watch(id, context);
  }
};

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
