import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import type { tryNodeRoute } from '../../lib/app/trials.ts';
import type { listedWorkflow, workflowVersion } from '../../lib/app/workflows.ts';
import type { AnswerTo, BodyOf } from '../../lib/http/api-route.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { ApiProblem } from './admin-api.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, refuseUsed, usageError } from './command-error.ts';
import { describeDifference, type VersionDifference } from './difference-text.ts';
import { type RunOptions, readObject, runWorkflow } from './execution-commands.ts';
import { findPermissions } from './find-permissions.ts';
import { explain } from './help.ts';
import type { Io } from './io.ts';
import { parseWorkflow } from './parse-json.ts';
import { type PutOptions, printStored, putFiles, type StoredWorkflow, WORKFLOWS } from './put-workflows.ts';
import { readId, readIds, readVersionNumber } from './read-arguments.ts';
import { onlyWorkflows, readInput, readWorkflow } from './read-file.ts';
import { printTable } from './table.ts';
import { upgradeFiles } from './upgrade-workflows.ts';
import { createFolder, fileOf, isFolder, toFileText, writeText } from './write-file.ts';

export const addWorkflowCommands = (
  program: Command,
  { io, loadNodeTypes, loadPlugins, onTarget }: CommandContext,
): void => {
  const workflow = program
    .command('workflow')
    .description('check, store, read, enable and disable workflows');

  workflow
    .command('validate')
    .description('check files, which needs no service; or what a service has stored, before an upgrade')
    .argument(
      '[files...]',
      'workflow files or folders of them; - is standard input; if absent, the workflows of the service',
    )
    .addHelpText(
      'after',
      explain(['workflow validate workflows', 'workflow validate --stage production'], {
        failed: 'a workflow has a problem',
      }),
    )
    .action(async (files: string[]) => {
      const findNodeType = await loadNodeTypes();
      if (files.length > 0)
        return (await import('./validate-files.ts')).validateFiles(files, { io, findNodeType, loadPlugins });
      return onTarget(async (context) =>
        (await import('./validate-stored.ts')).validateStored(context, findNodeType),
      );
    });

  workflow
    .command('upgrade')
    .description('rewrite files to the current format; needs no service')
    .argument('<files...>', 'workflow files or folders of them')
    .option('--dry-run', 'show what would change, and write nothing')
    .addHelpText(
      'after',
      explain(['workflow upgrade workflows --dry-run', 'workflow upgrade workflows/hello.json'], {
        failed: 'a file has a problem',
        isOffline: true,
      }),
    )
    .action(async (files: string[], { dryRun }: { readonly dryRun?: true }) =>
      upgradeFiles(files, dryRun === true, { io, findNodeType: await loadNodeTypes() }),
    );

  workflow
    .command('permissions')
    .description('print the IAM statements that workflows need; needs no service')
    .argument('<files...>', 'workflow files; - is standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      explain(['workflow permissions workflows/place-order.json'], {
        failed: 'a file has a problem',
        isOffline: true,
      }),
    )
    .action(async (files: string[], { json }: { readonly json?: true }) =>
      printPermissions(files, json === true, { io, findNodeType: await loadNodeTypes() }),
    );

  workflow
    .command('put')
    .description('store files as new versions')
    .argument('<files...>', 'workflow files or folders of them; - is standard input')
    .option('--message <text>', 'why, for the history of the workflow')
    .option('--dry-run', 'check them against the service, and store nothing')
    .option('--replaces <version>', 'store a file only if this version is still current', readVersionNumber)
    .addHelpText(
      'after',
      explain(['workflow put workflows/hello.json', 'workflow put workflows --dry-run'], {
        failed: 'refused or failed',
      }),
    )
    .action((files: string[], options: PutOptions) =>
      onTarget((context) => putFiles(files, options, context)),
    );

  workflow
    .command('export')
    .alias('get')
    .description('print a workflow as a file for `put`, or write files; a removed one with --version')
    .argument('<ids...>', 'ids of workflows; several are written with --output', readIds)
    .option('--version <number>', 'this version instead of the current one', readVersionNumber)
    .option('-o, --output <path>', 'write a file, or into a folder one file each: ID.json')
    .addHelpText(
      'after',
      explain(['workflow export hello', 'workflow export hello orders --output exported']),
    )
    .action(async (ids: readonly string[], options: ExportOptions) => {
      checkExport(ids, options);
      await onTarget((context) => exportWorkflows(ids, options, context));
    });

  workflow
    .command('list')
    .description('list workflows and their current versions')
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['workflow list', 'workflow list --json']))
    .action(({ json }: { readonly json?: true }) =>
      onTarget((context) => listWorkflows(json === true, context)),
    );

  workflow
    .command('enable')
    .description('let the triggers of a workflow start it')
    .argument('<id>', 'id of the workflow', readId)
    .addHelpText('after', explain(['workflow enable hello']))
    .action((id: string) => onTarget((context) => switchWorkflow(id, 'enable', context)));

  workflow
    .command('disable')
    .description('stop the triggers of a workflow from starting it')
    .argument('<id>', 'id of the workflow', readId)
    .addHelpText('after', explain(['workflow disable hello']))
    .action((id: string) => onTarget((context) => switchWorkflow(id, 'disable', context)));

  workflow
    .command('run')
    .description('start a workflow by hand')
    .argument('<id>', 'id of the workflow', readId)
    .option('--trigger <node>', 'the trigger to start from; required if there are several', readId)
    .option('--input <file>', 'its input, a JSON object; - is standard input (default: {})')
    .option('--wait', 'follow it to its end and print its output')
    .addHelpText(
      'after',
      explain(['workflow run hello --wait'], { failed: 'refused, or the execution did not succeed' }),
    )
    .action((id: string, options: RunOptions) => onTarget((context) => runWorkflow(id, options, context)));

  workflow
    .command('try')
    .description('run one node of a file, for real, without storing the file')
    .argument('<file>', 'workflow file; - is standard input')
    .requiredOption('--node <id>', 'the node to run', readId)
    .option('--input <file>', 'what the node receives; - is standard input (default: from --outputs)')
    .option('--outputs <file>', 'outputs of the nodes before it: by node, then by output')
    .addHelpText(
      'after',
      explain(['workflow try workflows/hello.json --node greet --input input.json'], {
        failed: 'refused, or the node failed',
      }),
    )
    .action((file: string, options: TryOptions) => onTarget((context) => tryNode(file, options, context)));

  workflow
    .command('remove')
    .description('remove a workflow; its versions stay readable')
    .argument('<id>', 'id of the workflow', readId)
    .option('--force', 'remove it even if other workflows run it or handle its failures')
    .addHelpText('after', explain(['workflow remove hello'], { failed: 'refused, not found, or in use' }))
    .action((id: string, { force }: { readonly force?: true }) =>
      onTarget((context) => removeWorkflow(id, force === true, context)),
    );

  workflow
    .command('history')
    .description('list the versions of a workflow, newest first; also of a removed one')
    .argument('<id>', 'id of the workflow', readId)
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['workflow history hello']))
    .action((id: string, { json }: { readonly json?: true }) =>
      onTarget((context) => printHistory(id, json === true, context)),
    );

  workflow
    .command('diff')
    .description('show what changed between two versions of a workflow')
    .argument('<id>', 'id of the workflow', readId)
    .option('--from <version>', 'default: the one before', readVersionNumber)
    .option('--to <version>', 'default: the current one', readVersionNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', explain(['workflow diff hello']))
    .action((id: string, options: DifferenceOptions) =>
      onTarget((context) => printDifference(id, options, context)),
    );

  workflow
    .command('rollback')
    .description('store an earlier version as a new one; also of a removed workflow')
    .argument('<id>', 'id of the workflow', readId)
    .argument('<version>', 'the earlier version', readVersionNumber)
    .option('--message <text>', 'why, for the history of the workflow')
    .addHelpText('after', explain(['workflow rollback hello 1']))
    .action((id: string, version: number, { message = null }: { readonly message?: string | null }) =>
      onTarget((context) => rollBack(id, version, message, context)),
    );
};

interface TryOptions {
  readonly node: string;
  readonly input?: string;
  readonly outputs?: string;
}

/** Prints the outputs on standard output, and all else beside it. @throws CommandError when the node fails */
const tryNode = async (
  file: string,
  { node: nodeId, input, outputs }: TryOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  if ([file, input, outputs].filter((one) => one === '-').length > 1)
    throw usageError('only one of the files can be standard input');
  const { name, text } = await readInput(file, io);
  const body = {
    definition: parseWorkflow(text, name),
    nodeId,
    ...(input === undefined ? {} : { input: await readObject(input, 'the input of a node', io) }),
    ...(outputs === undefined ? {} : { outputs: await readObject(outputs, 'outputs of nodes', io) }),
  };
  const trial = await target.api.call<AnswerTo<typeof tryNodeRoute>>('POST', `${WORKFLOWS}/try`, { body });
  for (const { level, message } of trial.log) io.note(`${level}: ${message}`);
  for (const { pointer, detail } of trial.warnings) io.note(io.paint('yellow', `${pointer} ${detail}`));
  const { executionId, status, attempts, durationMs, failure } = trial;
  io.note(`${executionId}: ${status}, ${attempts} attempt${attempts === 1 ? '' : 's'}, ${durationMs} ms`);
  if (trial.isCut === true) io.note('The outputs are too large for an answer: shortened.');
  io.print(JSON.stringify(trial.outputs, null, 2));
  if (failure !== null)
    throw new CommandError(`${failure.nodeId} failed: ${failure.name}: ${failure.message}`);
};

interface CheckContext {
  readonly io: Io;
  readonly findNodeType: FindNodeType;
}

/** Prints statements as rows of `custom.workflowStatements` in serverless.yml. */
const printPermissions = async (
  files: readonly string[],
  asJson: boolean,
  { io, findNodeType }: CheckContext,
): Promise<void> => {
  const definitions: WorkflowDefinition[] = [];
  for (const file of onlyWorkflows(files))
    definitions.push((await readWorkflow(file, io, findNodeType)).definition);
  const { statements, roles, notes } = findPermissions(definitions, findNodeType);
  for (const note of notes) io.note(io.paint('yellow', note));
  if (asJson) return io.print(JSON.stringify({ statements, roles }, null, 2));
  for (const statement of statements) io.print(toRow(statement));
  for (const [credentialId, others] of Object.entries(roles)) {
    io.print(`# for the role of the credential ${credentialId}`);
    for (const statement of others) io.print(toRow(statement));
  }
  if (statements.length === 0 && Object.keys(roles).length === 0)
    io.note('No node of these workflows makes an AWS call with known permissions.');
};

const toRow = (statement: object): string =>
  `- ${JSON.stringify(statement, null, 1).replaceAll(/\n */g, ' ')}`;

interface ExportOptions {
  readonly version?: number;
  readonly output?: string;
}

const checkExport = (ids: readonly string[], { version, output }: ExportOptions): void => {
  if (ids.length === 1) return;
  if (version !== undefined) throw usageError('--version is for a single workflow.');
  if (output === undefined)
    throw usageError('Several workflows are written to files: name their folder with --output DIR.');
};

/** Reads all workflows before it writes the first, so that nothing is written if one is missing. */
const exportWorkflows = async (
  ids: readonly string[],
  { version, output }: ExportOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const ofVersion = version === undefined ? '' : `/versions/${version}`;
  const read: (readonly [id: string, text: string, version: number])[] = [];
  for (const id of new Set(ids)) {
    const found = await target.api.call<ReadWorkflow>('GET', `${WORKFLOWS}/${id}${ofVersion}`);
    read.push([id, toFileText(found.definition), found.version]);
  }
  if (output === undefined) {
    for (const [, text] of read) io.print(text.trimEnd());
    return;
  }
  const isInFolder = read.length > 1 || (await isFolder(output, io));
  if (isInFolder) await createFolder(output, io);
  for (const [id, text, number] of read) {
    const file = isInFolder ? fileOf(output, id) : output;
    await writeText(file, text, io);
    io.print(`${id}: version ${number}, ${file}`);
  }
};

interface ReadWorkflow {
  readonly version: number;
  readonly definition: WorkflowDefinition;
}

const listWorkflows = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const workflows = await target.api.list<BodyOf<typeof listedWorkflow>>(WORKFLOWS, 'workflows');
  if (asJson) return io.print(JSON.stringify(workflows, null, 2));
  if (workflows.length === 0) return io.note('There are no workflows.');
  printTable(
    {
      titles: ['ID', 'STATE', 'VERSION', 'UPDATED', 'NAME'],
      texts: ['NAME'],
      rows: workflows.map(({ id, name, enabled, version, updatedAt }) => [
        ...[id, enabled ? 'enabled' : 'disabled', String(version), updatedAt, name],
      ]),
    },
    io,
  );
  for (const { id, unknownNodeTypes: types } of workflows)
    if (types !== undefined)
      io.note(io.paint('yellow', `${id}: can't run: no installed plugin provides ${types.join(', ')}`));
};

/** Stores a new version that differs only in `enabled`. */
const switchWorkflow = async (
  id: string,
  action: 'enable' | 'disable',
  { io, target }: TargetContext,
): Promise<void> => {
  const path = `${WORKFLOWS}/${id}/${action}`;
  const stored = await target.api.call<Omit<StoredWorkflow, 'triggers' | 'warnings' | 'times'>>('POST', path);
  printStored({ ...stored, triggers: [], warnings: [], times: [] }, null, io);
};

const removeWorkflow = async (
  id: string,
  isForced: boolean,
  { io, target }: TargetContext,
): Promise<void> => {
  try {
    await target.api.call('DELETE', `${WORKFLOWS}/${id}`, { query: { force: isForced ? 'true' : null } });
  } catch (error) {
    if (error instanceof ApiProblem && Array.isArray(error.members.users))
      refuseUsed(id, error.members.users as readonly string[]);
    throw error;
  }
  io.print(`${id}: removed; its versions can still be read with workflow export ${id} --version N`);
};

const printHistory = async (id: string, asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const versions = await target.api.list<BodyOf<typeof workflowVersion>>(
    `${WORKFLOWS}/${id}/versions`,
    'versions',
  );
  if (asJson) return io.print(JSON.stringify(versions, null, 2));
  const rows = versions.map(({ version, updatedAt, author, message }) => [
    ...[String(version), updatedAt, author?.replace(/^.*[:/]/, '') ?? '-', message ?? ''],
  ]);
  printTable({ titles: ['VERSION', 'TIME', 'BY', 'MESSAGE'], texts: ['BY', 'MESSAGE'], rows }, io);
};

interface DifferenceOptions {
  readonly from?: number;
  readonly to?: number;
  readonly json?: true;
}

const printDifference = async (
  id: string,
  { from, to, json }: DifferenceOptions,
  { io, target }: TargetContext,
): Promise<void> => {
  const current = async () =>
    (await target.api.call<{ readonly version: number }>('GET', `${WORKFLOWS}/${id}`)).version;
  const last = to ?? (await current());
  const first = from ?? Math.max(1, last - 1);
  const query = { from: first, to: last };
  const difference = await target.api.call<VersionDifference>('GET', `${WORKFLOWS}/${id}/diff`, { query });
  if (json === true) return io.print(JSON.stringify(difference, null, 2));
  for (const line of describeDifference(difference, io.columns)) io.print(line);
};

const rollBack = async (
  id: string,
  version: number,
  message: string | null,
  { io, target }: TargetContext,
): Promise<void> => {
  const path = `${WORKFLOWS}/${id}/rollback`;
  printStored(await target.api.call<StoredWorkflow>('POST', path, { query: { version, message } }), null, io);
};
