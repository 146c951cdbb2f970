import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import { findTriggerWarnings } from '../authoring/stage/check-workflows.ts';
import { findCredentialProblems, findMetricsProblem } from '../authoring/stage/find-store-problems.ts';
import { findTimes } from '../authoring/stage/find-times.ts';
import { findMissingSubworkflows, findUrlWarnings } from '../authoring/stage/find-warnings.ts';
import { nudgeHeld } from '../lib/executions/held/nudge-held.ts';
import { PROBE_PREFIX } from '../lib/health/ping.ts';
import { putWorkflow, putWorkflows, removeWorkflow } from '../lib/registrations/put-workflow.ts';
import { isAppError } from '../lib/shared/errors.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import { findUsersOfWorkflow } from '../lib/workflows/definition/find-users.ts';
import { toPathConfigs } from '../lib/workflows/definition/to-path-configs.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, refuseUsed } from './command-error.ts';
import { type RunOptions, runWorkflow } from './execution-commands.ts';
import { findPermissions } from './find-permissions.ts';
import type { Io } from './io.ts';
import { readId, readVersionNumber } from './read-arguments.ts';
import { findSameIds, listFiles, readWorkflow, type WorkflowFile, withoutSchema } from './read-file.ts';

export const addWorkflowCommands = (
  program: Command,
  { io, loadNodeTypes, onTarget }: CommandContext,
): void => {
  const onTypedTarget = (action: (context: TargetContext & CheckContext) => Promise<void>) =>
    onTarget(async (context) => action({ ...context, findNodeType: await loadNodeTypes() }));
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
    .argument('<files...>', 'workflow files; - is standard input')
    .action((files: string[]) => onTypedTarget((context) => putFiles(files, context)));

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
      onTarget((context) => listWorkflows(json === true, context, loadNodeTypes)),
    );

  workflow
    .command('enable')
    .description('let the triggers of a workflow start it')
    .argument('<id>', 'id of the workflow', readId)
    .action((id: string) => onTypedTarget((context) => switchWorkflow(id, true, context)));

  workflow
    .command('disable')
    .description('stop the triggers of a workflow from starting it')
    .argument('<id>', 'id of the workflow', readId)
    .action((id: string) => onTypedTarget((context) => switchWorkflow(id, false, context)));

  workflow
    .command('run')
    .description('start a workflow by hand')
    .argument('<id>', 'id of the workflow', readId)
    .option('--trigger <node>', 'the trigger to start from; required if there are several', readId)
    .option('--input <file>', 'its input, a JSON object; - is standard input (default: {})')
    .option('--wait', 'follow it to its end and print its output')
    .action((id: string, options: RunOptions) =>
      onTypedTarget((context) => runWorkflow(id, options, context.findNodeType, context)),
    );

  workflow
    .command('remove')
    .description('remove a workflow; its versions stay readable')
    .argument('<id>', 'id of the workflow', readId)
    .option('--force', 'remove it even if other workflows run it or handle its failures')
    .action((id: string, { force }: { readonly force?: true }) =>
      onTypedTarget(async (context) => {
        if (force !== true) await refuseUsedWorkflow(id, context);
        await remove(id, context);
      }),
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
      printWarnings(file, io);
      warnOfTriggers(definition, { io, findNodeType });
      for (const { path, message } of await findUrlWarnings(definition, findNodeType, null))
        io.note(io.paint('yellow', `${definition.id}: ${path} ${message}`));
      await printTimes(definition, io);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push(error.message);
    }
  }
  problems.push(...findSameIds(valid));
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

/** Reads, checks and registers all files before storing the first; stores all or none. */
const putFiles = async (files: readonly string[], context: TargetContext & CheckContext): Promise<void> => {
  const { io, target, findNodeType } = context;
  const checked: WorkflowFile[] = [];
  for (const file of withoutSchema(files)) checked.push(await readWorkflow(file, io, findNodeType));
  const problems: string[] = findSameIds(checked);
  const definitions = checked.map(({ definition }) => definition);
  for (const definition of definitions)
    for (const { path, message } of await findCredentialProblems(definition, findNodeType, target))
      problems.push(`${definition.id}: ${path} ${message}`);
  for (const { id } of definitions)
    if (id.startsWith(PROBE_PREFIX))
      problems.push(`${id}: ids that begin with ${PROBE_PREFIX} are reserved for the doctor`);
  const metricsProblem = await findMetricsProblem(definitions, target.listDefinitions);
  if (metricsProblem !== null) problems.push(metricsProblem);
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  for (const file of checked) printWarnings(file, io);
  for (const definition of definitions) {
    warnOfTriggers(definition, context);
    const warnings = [
      ...(await findMissingSubworkflows(definition, target.workflows, definitions)),
      ...(await findUrlWarnings(definition, findNodeType, target.outbound)),
    ];
    for (const { path, message } of warnings)
      io.note(io.paint('yellow', `${definition.id}: ${path} ${message}`));
  }
  const puts = definitions.map((definition) => ({ definition }));
  const stored = await putWorkflows(puts, findNodeType, {
    ...target.registrar,
    workflows: target.workflows,
  });
  for (const [index, definition] of definitions.entries()) {
    await printStored(definition, stored[index], context);
    for (const url of webhookUrls(definition, target.baseUrl)) io.print(`  ${url}`);
    await printTimes(definition, io);
  }
};

type Stored = Awaited<ReturnType<typeof putWorkflow>>;

const printStored = async (
  definition: WorkflowDefinition,
  stored: Stored | undefined,
  { io, target }: TargetContext,
): Promise<void> => {
  if (stored === undefined) return;
  const { version, changed } = stored;
  io.print(`${definition.id}: ${changed ? `version ${version}` : `unchanged, version ${version}`}`);
  await release(definition, { io, target });
};

/** Releases held executions. An unreachable service is no error, since its schedule releases them later. */
const release = async (definition: WorkflowDefinition, { io, target }: TargetContext): Promise<void> => {
  try {
    for (const nodeId of await nudgeHeld(definition, target))
      io.print(`  requests stored by the trigger ${nodeId} now start to run`);
  } catch (error) {
    if (!isAppError(error)) throw error;
    io.note(io.paint('yellow', `${definition.id}: stored requests start to run within five minutes`));
  }
};

const printWarnings = ({ warnings }: WorkflowFile, io: Io): void => {
  for (const warning of warnings) io.note(io.paint('yellow', warning));
};

/** Warns if nothing can start a workflow. It is only a warning, since that may be intended. */
const warnOfTriggers = (definition: WorkflowDefinition, { io, findNodeType }: CheckContext): void => {
  for (const { path, message } of findTriggerWarnings(definition, findNodeType))
    io.note(io.paint('yellow', `${definition.id}: ${path === '' ? 'it' : path} ${message}`));
};

/** Prints when the schedules of a workflow fire next. */
const printTimes = async (definition: WorkflowDefinition, io: Io): Promise<void> => {
  for (const { triggerNodeId, times } of await findTimes(definition, io.now())) {
    for (const time of times) io.print(`  ${triggerNodeId} fires at ${time}`);
    if (times.length === 0)
      io.note(io.paint('yellow', `${definition.id}: ${triggerNodeId} never fires again`));
  }
};

/** @param version - null for the current one */
const printWorkflow = async (
  id: string,
  version: number | null,
  { io, target }: TargetContext,
): Promise<void> => {
  const { workflows } = target;
  const workflow = version === null ? await workflows.find(id) : await workflows.findVersion(id, version);
  if (workflow === null) throw notFound(version === null ? id : `${id} at version ${version}`);
  io.print(JSON.stringify(workflow.definition, null, 2));
};

const listWorkflows = async (
  asJson: boolean,
  { io, target }: TargetContext,
  loadNodeTypes: () => Promise<FindNodeType>,
): Promise<void> => {
  const workflows = await target.workflows.list();
  if (asJson) return io.print(JSON.stringify(workflows, null, 2));
  if (workflows.length === 0) return io.note('There are no workflows.');
  for (const { id, name, enabled, version, updatedAt } of workflows) {
    io.print([id, enabled ? 'enabled' : 'disabled', `version ${version}`, updatedAt, name].join('\t'));
  }
  const findNodeType = await loadNodeTypes();
  for (const { id, nodes } of (await target.listDefinitions()).definitions) {
    const missing = new Set(nodes.map(({ type }) => type).filter((type) => findNodeType(type) === null));
    if (missing.size > 0)
      io.note(
        io.paint('yellow', `${id}: can't run: no installed plugin provides ${[...missing].join(', ')}`),
      );
  }
};

/**
 * Puts a new version that differs only in `enabled`.
 *
 * @throws AppError `WORKFLOW_CHANGED` when another version is put at the same time
 */
const switchWorkflow = async (
  id: string,
  enabled: boolean,
  context: TargetContext & CheckContext,
): Promise<void> => {
  const workflow = await context.target.workflows.find(id);
  if (workflow === null) throw notFound(id);
  const definition = { ...workflow.definition, enabled };
  const parts = { ...context.target.registrar, workflows: context.target.workflows };
  const stored = await putWorkflow(definition, context.findNodeType, parts, {
    replaces: workflow.version,
  });
  await printStored(definition, stored, context);
};

const refuseUsedWorkflow = async (id: string, { target }: TargetContext): Promise<void> =>
  refuseUsed(id, findUsersOfWorkflow(id, (await target.listDefinitions()).definitions));

const remove = async (
  id: string,
  { io, target, findNodeType }: TargetContext & CheckContext,
): Promise<void> => {
  const parts = { ...target.registrar, workflows: target.workflows };
  if (!(await removeWorkflow(id, findNodeType, parts))) throw notFound(id);
  io.print(`${id}: removed; its versions can still be read with workflow get ${id} --version N`);
};

const notFound = (what: string): CommandError => new CommandError(`There is no workflow ${what}.`);

/**
 * The methods and URLs of a workflow's webhooks.
 *
 * @param baseUrl - without a trailing slash; null for paths only
 */
const webhookUrls = (definition: WorkflowDefinition, baseUrl: string | null): string[] =>
  toPathConfigs(definition).map(
    ({ method, path }) =>
      `${method} ${baseUrl ?? ''}/api/webhook/${definition.id}${path === '/' ? '' : path}`,
  );
