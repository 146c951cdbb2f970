import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import { findTriggerWarnings } from '../authoring/stage/check-workflows.ts';
import { findTimes } from '../authoring/stage/find-times.ts';
import { findUrlWarnings } from '../authoring/stage/find-warnings.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { ApiProblem } from './admin-api.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, refuseUsed } from './command-error.ts';
import { describeDifference, type VersionDifference } from './difference-text.ts';
import { type RunOptions, runWorkflow } from './execution-commands.ts';
import { toColumns } from './execution-text.ts';
import { findPermissions } from './find-permissions.ts';
import type { Io } from './io.ts';
import {
  type PutOptions,
  printStored,
  printTimes,
  putFiles,
  type StoredWorkflow,
  WORKFLOWS,
} from './put-workflows.ts';
import { readId, readVersionNumber } from './read-arguments.ts';
import { findSameIds, listFiles, readWorkflow, type WorkflowFile, withoutSchema } from './read-file.ts';

export const addWorkflowCommands = (
  program: Command,
  { io, loadNodeTypes, onTarget }: CommandContext,
): void => {
  const workflow = program
    .command('workflow')
    .description('check, store, read, enable and disable workflows');

  workflow
    .command('validate')
    .description('check files; needs no service')
    .argument('<files...>', 'workflow files or folders of them; - is standard input')
    .action(async (files: string[]) => validateFiles(files, { io, findNodeType: await loadNodeTypes() }));

  workflow
    .command('permissions')
    .description('print the IAM statements that workflows need; needs no service')
    .argument('<files...>', 'workflow files; - is standard input')
    .option('--json', 'print JSON')
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
    .action((files: string[], options: PutOptions) =>
      onTarget((context) => putFiles(files, options, context)),
    );

  workflow
    .command('get')
    .description('print the definition of a workflow')
    .argument('<id>', 'id of the workflow', readId)
    .option('--version <number>', 'this version instead of the current one', readVersionNumber)
    .action((id: string, { version = null }: { readonly version?: number | null }) =>
      onTarget((context) => printWorkflow(id, version, context)),
    );

  workflow
    .command('list')
    .description('list workflows and their current versions')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: true }) =>
      onTarget((context) => listWorkflows(json === true, context)),
    );

  workflow
    .command('enable')
    .description('let the triggers of a workflow start it')
    .argument('<id>', 'id of the workflow', readId)
    .action((id: string) => onTarget((context) => switchWorkflow(id, 'enable', context)));

  workflow
    .command('disable')
    .description('stop the triggers of a workflow from starting it')
    .argument('<id>', 'id of the workflow', readId)
    .action((id: string) => onTarget((context) => switchWorkflow(id, 'disable', context)));

  workflow
    .command('run')
    .description('start a workflow by hand')
    .argument('<id>', 'id of the workflow', readId)
    .option('--trigger <node>', 'the trigger to start from; required if there are several', readId)
    .option('--input <file>', 'its input, a JSON object; - is standard input (default: {})')
    .option('--wait', 'follow it to its end and print its output')
    .action((id: string, options: RunOptions) =>
      onTarget(async (context) => runWorkflow(id, options, await loadNodeTypes(), context)),
    );

  workflow
    .command('remove')
    .description('remove a workflow; its versions stay readable')
    .argument('<id>', 'id of the workflow', readId)
    .option('--force', 'remove it even if other workflows run it or handle its failures')
    .action((id: string, { force }: { readonly force?: true }) =>
      onTarget((context) => removeWorkflow(id, force === true, context)),
    );

  workflow
    .command('history')
    .description('list the versions of a workflow, newest first; also of a removed one')
    .argument('<id>', 'id of the workflow', readId)
    .option('--json', 'print JSON')
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
    .action((id: string, options: DifferenceOptions) =>
      onTarget((context) => printDifference(id, options, context)),
    );

  workflow
    .command('rollback')
    .description('store an earlier version as a new one; also of a removed workflow')
    .argument('<id>', 'id of the workflow', readId)
    .argument('<version>', 'the earlier version', readVersionNumber)
    .option('--message <text>', 'why, for the history of the workflow')
    .action((id: string, version: number, { message = null }: { readonly message?: string | null }) =>
      onTarget((context) => rollBack(id, version, message, context)),
    );
};

interface CheckContext {
  readonly io: Io;
  readonly findNodeType: FindNodeType;
}

/** Reports on all files before it fails. */
const validateFiles = async (paths: readonly string[], { io, findNodeType }: CheckContext): Promise<void> => {
  const problems: string[] = [];
  const valid: WorkflowFile[] = [];
  for (const path of await listFiles(paths, io)) {
    try {
      const file = await readWorkflow(path, io, findNodeType);
      const { definition } = file;
      valid.push(file);
      io.print(`${path}: ${definition.id} is valid`);
      const more = [
        ...findTriggerWarnings(definition, findNodeType),
        ...(await findUrlWarnings(definition, findNodeType, null)),
      ];
      for (const warning of [...file.warnings, ...more.map(file.toLine)])
        io.note(io.paint('yellow', warning));
      printTimes(definition.id, await findTimes(definition, io.now()), io);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push(error.message);
    }
  }
  problems.push(...findSameIds(valid.map(({ file, definition }) => ({ file, id: definition.id }))));
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
};

/** Prints statements as rows of `custom.workflowStatements` in serverless.yml. */
const printPermissions = async (
  files: readonly string[],
  asJson: boolean,
  { io, findNodeType }: CheckContext,
): Promise<void> => {
  const definitions: WorkflowDefinition[] = [];
  for (const file of withoutSchema(files))
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

/** @param version - null for the current one */
const printWorkflow = async (
  id: string,
  version: number | null,
  { io, target }: TargetContext,
): Promise<void> => {
  const path = version === null ? `${WORKFLOWS}/${id}` : `${WORKFLOWS}/${id}/versions/${version}`;
  const { definition } = await target.api.call<{ readonly definition: JsonObject }>('GET', path);
  io.print(JSON.stringify(definition, null, 2));
};

interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly updatedAt: string;
  readonly unknownNodeTypes?: readonly string[];
}

const listWorkflows = async (asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const workflows = await target.api.list<ListedWorkflow>(WORKFLOWS, 'workflows');
  if (asJson) return io.print(JSON.stringify(workflows, null, 2));
  if (workflows.length === 0) return io.note('There are no workflows.');
  for (const { id, name, enabled, version, updatedAt } of workflows)
    io.print([id, enabled ? 'enabled' : 'disabled', `version ${version}`, updatedAt, name].join('\t'));
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
  io.print(`${id}: removed; its versions can still be read with workflow get ${id} --version N`);
};

interface ListedVersion {
  readonly version: number;
  readonly updatedAt: string;
  readonly author: string | null;
  readonly message: string | null;
}

const printHistory = async (id: string, asJson: boolean, { io, target }: TargetContext): Promise<void> => {
  const versions = await target.api.list<ListedVersion>(`${WORKFLOWS}/${id}/versions`, 'versions');
  if (asJson) return io.print(JSON.stringify(versions, null, 2));
  const rows = versions.map(({ version, updatedAt, author, message }) => [
    ...[String(version), updatedAt, author?.replace(/^.*[:/]/, '') ?? '-', message ?? ''],
  ]);
  for (const line of toColumns([['VERSION', 'TIME', 'BY', 'MESSAGE'], ...rows])) io.print(line);
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
  for (const line of describeDifference(difference)) io.print(line);
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
