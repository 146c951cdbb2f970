import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import pLimit from 'p-limit';
import { readDraft } from '../authoring/validation/graph/draft-graph.ts';
import { compareDefinitions } from '../lib/workflows/definition/compare-definitions.ts';
import type { WorkflowDefinition } from '../lib/workflows/definition/definition.ts';
import type { CommandContext, TargetContext } from './command-context.ts';
import { CommandError, EXIT } from './command-error.ts';
import { describeChanges } from './difference-text.ts';
import type { Io } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import { checkFiles, idOf, readFiles, type SentFile, storeFiles, WORKFLOWS } from './put-workflows.ts';
import { listFiles } from './read-file.ts';

/** The commands that keep a folder, usually of a git repository, and a service in step. */
export const addFolderCommands = (program: Command, { onTarget }: CommandContext): void => {
  const add = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<folder>', 'a folder of workflow files, one for each workflow');

  add('pull', 'write the workflows of the service into a folder').action((folder: string) =>
    onTarget((context) => pull(folder, context)),
  );
  add('diff', 'show what deploying a folder would change').action((folder: string) =>
    onTarget(async (context) => {
      printPlan(await planDeployment(folder, context), context.io);
    }),
  );
  add('drift', 'exit with 1 if the service differs from a folder').action((folder: string) =>
    onTarget(async (context) => {
      const plan = await planDeployment(folder, context);
      printPlan(plan, context.io);
      if (plan.puts.length + plan.others.length > 0)
        throw new CommandError('The service differs from the folder.', EXIT.failed);
    }),
  );
  add('deploy', 'store what is new or changed in a folder')
    .option('--prune', 'also remove workflows that the folder lacks')
    .option('--dry-run', 'show and check the changes, and make none')
    .option('--yes', 'do not ask')
    .option('--message <text>', 'why, for the history of the workflows')
    .action((folder: string, options: DeployOptions) =>
      onTarget((context) => deploy(folder, options, context)),
    );
};

interface DeployOptions {
  readonly prune?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly message?: string;
}

interface StoredWorkflow {
  readonly version: number;
  readonly definition: WorkflowDefinition;
}

interface PlannedPut {
  readonly id: string;
  readonly file: SentFile;
  /** What differs; empty for a new workflow. */
  readonly lines: readonly string[];
}

/** How a service would become like a folder. */
interface Plan {
  readonly puts: readonly PlannedPut[];
  /** The ids of workflows that the folder lacks, with their versions. */
  readonly others: readonly { readonly id: string; readonly version: number }[];
  readonly unchanged: number;
}

const READS_AT_ONCE = 10;

/** The current definitions of all workflows, by id. */
const readStored = async ({ target }: TargetContext): Promise<ReadonlyMap<string, StoredWorkflow>> => {
  const listed = await target.api.list<{ readonly id: string }>(WORKFLOWS, 'workflows');
  const limit = pLimit(READS_AT_ONCE);
  return new Map(
    await Promise.all(
      listed.map(({ id }) =>
        limit(async () => [id, await target.api.call<StoredWorkflow>('GET', `${WORKFLOWS}/${id}`)] as const),
      ),
    ),
  );
};

/** @throws CommandError for a file without an id */
const readFolder = async (folder: string, io: Io): Promise<ReadonlyMap<string, SentFile>> => {
  const files = await readFiles(await listFiles([folder], io), io);
  return new Map(
    files.map((file) => {
      const id = idOf(file.content);
      if (id === null) throw new CommandError(`${file.name}:1:1: / lacks the key "id"`);
      return [id, file];
    }),
  );
};

/** The definition as it would be stored, with defaults. Only for comparison: the service checks what is stored. */
const normalise = (content: unknown): WorkflowDefinition =>
  JSON.parse(JSON.stringify(readDraft(isPlainObject(content) ? content : {}).definition));

const planDeployment = async (folder: string, context: TargetContext): Promise<Plan> => {
  const files = await readFolder(folder, context.io);
  const stored = await readStored(context);
  const puts = [...files].flatMap(([id, file]): PlannedPut[] => {
    const known = stored.get(id);
    if (known === undefined) return [{ id, file: { ...file, replaces: null }, lines: [] }];
    const definition = normalise(file.content);
    if (isDeepStrictEqual(definition, known.definition)) return [];
    const lines = describeChanges(compareDefinitions(known.definition, definition));
    return [
      {
        id,
        file: { ...file, replaces: known.version },
        lines: lines.length === 0 ? ['  ~ the order of nodes or connections'] : lines,
      },
    ];
  });
  const others = [...stored].flatMap(([id, { version }]) => (files.has(id) ? [] : [{ id, version }]));
  return { puts, others, unchanged: files.size - puts.length };
};

const printPlan = ({ puts, others, unchanged }: Plan, io: Io): void => {
  for (const { id, file, lines } of puts) {
    io.print(file.replaces === null ? `+ ${id} is new` : `~ ${id} changes`);
    for (const line of lines) io.print(line);
  }
  for (const { id } of others) io.print(`- ${id} is not in the folder`);
  if (puts.length + others.length === 0) io.print('Nothing differs.');
  else if (unchanged > 0) io.note(`Unchanged: ${unchanged}`);
};

const deploy = async (
  folder: string,
  { prune, dryRun, yes, message }: DeployOptions,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const plan = await planDeployment(folder, context);
  printPlan(plan, io);
  const files = plan.puts.map(({ file }) => file);
  const removed = prune === true ? plan.others : [];
  if (prune !== true && plan.others.length > 0) io.note('They stay: --prune removes them.');
  if (dryRun === true) return checkFiles(files, context);
  const count = files.length + removed.length;
  if (count === 0) return;
  if (yes !== true && io.isTerminal) {
    const answer = await io.ask(`Make ${count === 1 ? 'this change' : `these ${count} changes`}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.', EXIT.failed);
  }
  await storeFiles(files, message, context);
  for (const { id, version } of removed) {
    await target.api.call('DELETE', `${WORKFLOWS}/${id}`, { headers: { 'if-match': `"${version}"` } });
    io.print(`${id}: removed`);
  }
};

/** Writes what differs. A file keeps its name and its `$schema`; a workflow without a file gets `ID.json`. */
const pull = async (folder: string, context: TargetContext): Promise<void> => {
  const { io } = context;
  const path = resolve(callerFolder(io.env), folder);
  const isThere = (await stat(path).catch(() => null)) !== null;
  const files = isThere ? await readPulled(folder, io) : new Map<string, SentFile>();
  const stored = await readStored(context);
  refuseTakenNames(folder, files, stored);
  await mkdir(path, { recursive: true });
  for (const [id, { definition }] of stored) {
    const file = files.get(id);
    if (file !== undefined && isDeepStrictEqual(normalise(file.content), definition)) continue;
    const { $schema } = isPlainObject(file?.content) ? file.content : {};
    const content = { ...($schema === undefined ? {} : { $schema }), ...inOrder(definition) };
    const name = file?.name ?? join(folder, `${id}.json`);
    await writeFile(resolve(callerFolder(io.env), name), `${JSON.stringify(content, null, 2)}\n`);
    io.print(`${id}: ${file === undefined ? 'new' : 'changed'}, ${name}`);
  }
  for (const [id, { name }] of files)
    if (!stored.has(id)) io.note(io.paint('yellow', `${name}: the service has no workflow ${id}`));
};

/** A new file must not replace the file of another workflow, or leave the folder. @throws CommandError before any is written */
const refuseTakenNames = (
  folder: string,
  files: ReadonlyMap<string, SentFile>,
  stored: ReadonlyMap<string, StoredWorkflow>,
): void => {
  const owners = new Map([...files].map(([id, { name }]) => [name, id]));
  for (const id of stored.keys()) {
    if (!isId(id)) throw new CommandError('The service lists a workflow whose id is not valid.');
    const owner = files.has(id) ? undefined : owners.get(join(folder, `${id}.json`));
    if (owner !== undefined)
      throw new CommandError(
        `${join(folder, `${id}.json`)} holds the workflow ${owner}: rename it, so that ${id} can be written there.`,
      );
  }
};

/** An empty folder has no files yet. */
const readPulled = async (folder: string, io: Io): Promise<ReadonlyMap<string, SentFile>> => {
  try {
    return await readFolder(folder, io);
  } catch (error) {
    if (error instanceof CommandError && /contains no workflow files/.test(error.message)) return new Map();
    throw error;
  }
};

/** Always the same order of keys, so that differences in git are small. */
const inOrder = ({ nodes, connections, settings, ...rest }: WorkflowDefinition): object => {
  const { id, name, description, enabled, tags, ...others } = rest;
  const first = { id, name, description, enabled, tags, settings, ...others };
  return JSON.parse(
    JSON.stringify({
      ...first,
      nodes: nodes.map(({ id: nodeId, type, parameters, ...more }) => ({
        ...{ id: nodeId, type, ...more },
        parameters,
      })),
      connections,
    }),
  );
};
