import type { Command } from 'commander';
import type { tryNodeRoute } from '../../lib/app/trials.ts';
import type { listedWorkflow, workflowVersion } from '../../lib/app/workflows.ts';
import type { AnswerTo, BodyOf } from '../../lib/http/api-route.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { removeUnused } from './admin-api.ts';
import { addTo, type CommandContext, type Options, REQUIRED, type TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { describeDifference, type VersionDifference } from './difference-text.ts';
import { RUN_OPTIONS, readObject, runWorkflow } from './execution-commands.ts';
import { findPermissions } from './find-permissions.ts';
import { printJson, printLines } from './io.ts';
import { parseWorkflow } from './parse-json.ts';
import {
  PUT_OPTIONS,
  printStored,
  putFiles,
  type ReadWorkflow,
  type StoredWorkflow,
  WORKFLOWS,
} from './put-workflows.ts';
import { JSON_OUTPUT, readId, readIds, readVersionNumber, WORKFLOW } from './read-arguments.ts';
import { onlyWorkflows, readInput, readWorkflow } from './read-file.ts';
import { printTable } from './table.ts';
import { upgradeFiles } from './upgrade-workflows.ts';
import { createFolder, fileOf, isFolder, toFileText, writeText } from './write-file.ts';

export const addWorkflowCommands = (program: Command, context: CommandContext): void => {
  const group = program.command('workflow').description('check, store, read, enable and disable workflows');
  const add = addTo(group, context);

  add('validate', {
    about: 'check files, which needs no service; or what a service has stored, before an upgrade',
    arguments: [
      [
        '[files...]',
        'workflow files or folders of them; - is standard input; if absent, the workflows of the service',
      ],
    ],
    examples: ['workflow validate workflows', 'workflow validate --stage production'],
    options: [['--json', 'of files: print the findings as JSON, with their places and proposals']],
    failed: 'a workflow has a problem',
    runHere: async (files, { io, loadNodeTypes, loadPlugins, onTarget }, { json }) => {
      const findNodeType = await loadNodeTypes();
      if (files.length > 0)
        return (await import('./validate-files.ts')).validateFiles(files, {
          io,
          findNodeType,
          loadPlugins,
          isJson: json === true,
        });
      return onTarget(async (service) =>
        (await import('./validate-stored.ts')).validateStored(service, findNodeType),
      );
    },
  });

  add('upgrade', {
    about: 'rewrite files to the current format; needs no service',
    arguments: [['<files...>', 'workflow files or folders of them']],
    options: [['--dry-run', 'show what would change, and write nothing']],
    examples: ['workflow upgrade workflows --dry-run', 'workflow upgrade workflows/hello.json'],
    failed: 'a file has a problem',
    isOffline: true,
    runHere: async (files, { io, loadNodeTypes }, { dryRun }) =>
      upgradeFiles(files, dryRun === true, { io, findNodeType: await loadNodeTypes() }),
  });

  add('permissions', {
    about: 'print the IAM statements that workflows need; needs no service',
    arguments: [['<files...>', 'workflow files; - is standard input']],
    options: [JSON_OUTPUT],
    examples: ['workflow permissions workflows/place-order.json'],
    failed: 'a file has a problem',
    isOffline: true,
    runHere: printPermissions,
  });

  add('put', {
    about: 'store files as new versions',
    arguments: [['<files...>', 'workflow files or folders of them; - is standard input']],
    options: PUT_OPTIONS,
    examples: ['workflow put workflows/hello.json', 'workflow put workflows --dry-run'],
    failed: 'refused or failed',
    run: putFiles,
  });

  add('export', {
    alias: 'get',
    about: 'print a workflow as a file for `put`, or write files; a removed one with --version',
    arguments: [['<ids...>', 'ids of workflows; several are written with --output', readIds]],
    options: EXPORT_OPTIONS,
    examples: ['workflow export hello', 'workflow export hello orders --output exported'],
    check: (ids, { version, output }) => {
      if (ids.length === 1) return;
      if (version !== undefined) throw usageError('--version is for a single workflow.');
      if (output === undefined)
        throw usageError('Several workflows are written to files: name their folder with --output DIR.');
    },
    run: exportWorkflows,
  });

  add('list', {
    about: 'list workflows and their current versions',
    options: [JSON_OUTPUT],
    examples: ['workflow list', 'workflow list --json'],
    run: listWorkflows,
  });

  for (const [action, about] of [
    ['enable', 'let the triggers of a workflow start it'],
    ['disable', 'stop the triggers of a workflow from starting it'],
  ] as const)
    add(action, {
      about,
      arguments: [WORKFLOW],
      examples: [`workflow ${action} hello`],
      // Stores a new version that differs only in `enabled`.
      run: async (id, { io, target }) => {
        const path = `${WORKFLOWS}/${id}/${action}`;
        const stored = await target.api.call<StoredWorkflow>('POST', path);
        printStored({ ...stored, triggers: [], warnings: [], times: [] }, null, io);
      },
    });

  add('run', {
    about: 'start a workflow by hand',
    arguments: [WORKFLOW],
    options: RUN_OPTIONS,
    examples: ['workflow run hello --wait'],
    failed: 'refused, or the execution did not succeed',
    run: runWorkflow,
  });

  add('try', {
    about: 'run one node of a file, for real, without storing the file',
    arguments: [['<file>', 'workflow file; - is standard input']],
    options: TRY_OPTIONS,
    examples: ['workflow try workflows/hello.json --node greet --input input.json'],
    failed: 'refused, or the node failed',
    run: tryNode,
  });

  add('remove', {
    about: 'remove a workflow; its versions stay readable',
    arguments: [WORKFLOW],
    options: [['--force', 'remove it even if other workflows run it or handle its failures']],
    examples: ['workflow remove hello'],
    failed: 'refused, not found, or in use',
    run: async (id, { io, target }, { force }) => {
      await removeUnused(id, `${WORKFLOWS}/${id}`, force, target.api);
      io.print(`${id}: removed; its versions can still be read with workflow export ${id} --version N`);
    },
  });

  add('history', {
    about: 'list the versions of a workflow, newest first; also of a removed one',
    arguments: [WORKFLOW],
    options: [JSON_OUTPUT],
    examples: ['workflow history hello'],
    run: printHistory,
  });

  add('diff', {
    about: 'show what changed between two versions of a workflow',
    arguments: [WORKFLOW],
    options: [
      ['--from <version>', 'default: the one before', readVersionNumber],
      ['--to <version>', 'default: the current one', readVersionNumber],
      JSON_OUTPUT,
    ],
    examples: ['workflow diff hello'],
    run: async (id, { io, target: { api } }, { from, to, json }) => {
      const path = `${WORKFLOWS}/${id}`;
      const last = to ?? (await api.call<{ readonly version: number }>('GET', path)).version;
      const query = { from: from ?? Math.max(1, last - 1), to: last };
      const difference = await api.call<VersionDifference>('GET', `${path}/diff`, { query });
      if (json === true) printJson(difference, io);
      else printLines(describeDifference(difference, io.columns), io);
    },
  });

  add('rollback', {
    about: 'store an earlier version as a new one; also of a removed workflow',
    arguments: [WORKFLOW, ['<version>', 'the earlier version', readVersionNumber]],
    options: [['--message <text>', 'why, for the history of the workflow']],
    examples: ['workflow rollback hello 1'],
    run: async (id, version, { io, target }, { message }) => {
      const query = { version, message };
      const stored = await target.api.call<StoredWorkflow>('POST', `${WORKFLOWS}/${id}/rollback`, { query });
      printStored(stored, null, io);
    },
  });
};

const TRY_OPTIONS = [
  ['--node <id>', 'the node to run', readId, REQUIRED],
  ['--input <file>', 'what the node receives; - is standard input (default: from --outputs)'],
  ['--outputs <file>', 'outputs of the nodes before it: by node, then by output'],
] as const;

/** Prints the outputs on standard output, and all else beside it. @throws CommandError when the node fails */
const tryNode = async (
  file: string,
  { io, target }: TargetContext,
  { node: nodeId, input, outputs }: Options<typeof TRY_OPTIONS>,
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
  printJson(trial.outputs, io);
  if (failure !== null)
    throw new CommandError(`${failure.nodeId} failed: ${failure.name}: ${failure.message}`);
};

/** Prints statements as rows of `custom.workflowStatements` in serverless.yml. */
const printPermissions = async (
  files: readonly string[],
  { io, loadNodeTypes }: CommandContext,
  { json }: { readonly json?: true },
): Promise<void> => {
  const findNodeType = await loadNodeTypes();
  const definitions: WorkflowDefinition[] = [];
  for (const file of onlyWorkflows(files))
    definitions.push((await readWorkflow(file, io, findNodeType)).definition);
  const { statements, roles, notes } = findPermissions(definitions, findNodeType);
  for (const note of notes) io.note(io.paint('yellow', note));
  if (json === true) return printJson({ statements, roles }, io);
  for (const statement of statements) io.print(toStatementRow(statement));
  for (const [credentialId, others] of Object.entries(roles)) {
    io.print(`# for the role of the credential ${credentialId}`);
    for (const statement of others) io.print(toStatementRow(statement));
  }
  if (statements.length === 0 && Object.keys(roles).length === 0)
    io.note('No node of these workflows makes an AWS call with known permissions.');
};

const toStatementRow = (statement: object): string =>
  `- ${JSON.stringify(statement, null, 1).replaceAll(/\n */g, ' ')}`;

const EXPORT_OPTIONS = [
  ['--version <number>', 'this version instead of the current one', readVersionNumber],
  ['-o, --output <path>', 'write a file, or into a folder one file each: ID.json'],
] as const;

/** Reads all workflows before it writes the first, so that nothing is written if one is missing. */
const exportWorkflows = async (
  ids: readonly string[],
  { io, target }: TargetContext,
  { version, output }: Options<typeof EXPORT_OPTIONS>,
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

const listWorkflows = async (
  { io, target }: TargetContext,
  { json }: { readonly json?: true },
): Promise<void> => {
  const workflows = await target.api.list<BodyOf<typeof listedWorkflow>>(WORKFLOWS, 'workflows');
  if (json === true) return printJson(workflows, io);
  if (workflows.length === 0) return io.note('There are no workflows.');
  printTable(
    {
      titles: ['ID', 'STATE', 'VERSION', 'UPDATED', 'NAME'],
      texts: ['NAME'],
      rows: workflows.map(({ id, name, enabled, version, updatedAt }) => [
        id,
        enabled ? 'enabled' : 'disabled',
        String(version),
        updatedAt,
        name,
      ]),
    },
    io,
  );
  for (const { id, unknownNodeTypes: types, silences = [] } of workflows) {
    if (types !== undefined)
      io.note(io.paint('yellow', `${id}: can't run: no installed plugin provides ${types.join(', ')}`));
    for (const { message } of silences) io.note(io.paint('yellow', `${id}: ${message}`));
  }
};

const printHistory = async (
  id: string,
  { io, target }: TargetContext,
  { json }: { readonly json?: true },
): Promise<void> => {
  const versions = await target.api.list<BodyOf<typeof workflowVersion>>(
    `${WORKFLOWS}/${id}/versions`,
    'versions',
  );
  if (json === true) return printJson(versions, io);
  const rows = versions.map(({ version, updatedAt, author, message }) => [
    String(version),
    updatedAt,
    author?.replace(/^.*[:/]/, '') ?? '-',
    message ?? '',
  ]);
  printTable({ titles: ['VERSION', 'TIME', 'BY', 'MESSAGE'], texts: ['BY', 'MESSAGE'], rows }, io);
};
