import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Command } from 'commander';
import pLimit from 'p-limit';
import { compareDefinitions } from '../../lib/workflows/definition/compare-definitions.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { readDraft } from '../authoring/validation/graph/draft-graph.ts';
import { ApiProblem } from './admin-api.ts';
import { addTo, type CommandContext, type Options, type TargetContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { describeChanges } from './difference-text.ts';
import { confirmOnTerminal, type Io, printJson, printLines } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import {
  checkFiles,
  orChanges,
  type ReadWorkflow,
  readFiles,
  type SentFile,
  storeFiles,
  WORKFLOWS,
  workflowIdOf,
} from './put-workflows.ts';
import { JSON_OUTPUT } from './read-arguments.ts';
import { listFiles } from './read-file.ts';
import type { StageDifference } from './stage-file.ts';
import { compareStage, pullStage } from './stage-files.ts';
import { createFolder, fileOf, toFileText, writeText } from './write-file.ts';

/** The commands that keep a folder, usually of a git repository, and a service in step. */
export const addFolderCommands = (program: Command, context: CommandContext): void => {
  const add = addTo(program, context);

  add('pull', {
    about:
      'write the workflows of the service, and the names of its credentials and variables, into a folder',
    arguments: [FOLDER],
    options: [TAG],
    examples: ['pull flows'],
    run: pullFolder,
  });

  add('diff', {
    about: 'show what deploying a folder would change',
    arguments: [FOLDER],
    options: [TAG, JSON_OUTPUT],
    examples: ['diff workflows', 'diff workflows --tag shop'],
    run: async (folder, onTarget, options) =>
      showPlan(await planDeployment(folder, options, onTarget), options, onTarget.io),
  });

  add('drift', {
    about: 'exit with 1 if the service differs from a folder',
    arguments: [FOLDER],
    options: [TAG, JSON_OUTPUT],
    examples: ['drift workflows'],
    failed: 'the service differs',
    run: async (folder, onTarget, options) => {
      const plan = await planDeployment(folder, options, onTarget);
      showPlan(plan, options, onTarget.io);
      if (plan.puts.length + plan.others.length + plan.ofStage.length > 0)
        throw new CommandError('The service differs from the folder.');
    },
  });

  add('deploy', {
    about: 'store what is new or changed in a folder',
    arguments: [FOLDER],
    options: DEPLOY_OPTIONS,
    examples: ['deploy workflows --dry-run', 'deploy workflows --yes'],
    run: deployFolder,
  });
};

const FOLDER = ['<folder>', 'a folder of workflow files, one for each workflow'] as const;
const TAG = [
  '--tag <tag>',
  'the folder has the workflows with this tag alone, such as those of a team',
] as const;

const DEPLOY_OPTIONS = [
  TAG,
  ['--prune', 'also remove workflows that the folder lacks; with --tag, those with the tag'],
  ['--dry-run', 'show and check the changes, and make none'],
  ['--yes', 'do not ask'],
  ['--message <text>', 'why, for the history of the workflows'],
] as const;

/** Which workflows a folder is about: those with this tag; all if it is absent. */
type Owned = Options<readonly [typeof TAG]>;

interface PlannedPut {
  readonly id: string;
  readonly file: SentFile;
  /** What differs; null for a new workflow. */
  readonly difference: ReturnType<typeof compareDefinitions> | null;
}

/** How a service would become like a folder. */
interface Plan {
  readonly puts: readonly PlannedPut[];
  /** The ids of workflows that the folder lacks, with their versions. */
  readonly others: readonly { readonly id: string; readonly version: number }[];
  readonly unchanged: number;
  /** What is beside the workflows and differs, which no deployment changes. */
  readonly ofStage: readonly StageDifference[];
}

const READS_AT_ONCE = 10;

/** The current definitions of all workflows, by id. */
export const readStored = async ({ target }: TargetContext): Promise<ReadonlyMap<string, ReadWorkflow>> => {
  const listed = await target.api.list<{ readonly id: string }>(WORKFLOWS, 'workflows');
  const limit = pLimit(READS_AT_ONCE);
  return new Map(
    await Promise.all(
      listed.map(({ id }) =>
        limit(async () => [id, await target.api.call<ReadWorkflow>('GET', `${WORKFLOWS}/${id}`)] as const),
      ),
    ),
  );
};

/** @throws CommandError for a file without an id */
const readFolder = async (folder: string, io: Io): Promise<ReadonlyMap<string, SentFile>> => {
  const files = await readFiles(await listFiles([folder], io), io);
  const problems = files.flatMap(({ name, content, placeOf }) => {
    if (workflowIdOf(content) !== null) return [];
    if (!isPlainObject(content)) return [`${name}:1:1: / must be object`];
    return [
      content.id === undefined
        ? `${name}:1:1: / lacks the key "id"`
        : `${name}:${placeOf('/id')}: /id must be string`,
    ];
  });
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  return new Map(files.map((file) => [String(workflowIdOf(file.content)), file]));
};

/** The definition as it would be stored, with defaults. Only for comparison: the service checks what is stored. */
const normaliseDefinition = (content: unknown): WorkflowDefinition =>
  JSON.parse(JSON.stringify(readDraft(isPlainObject(content) ? content : {}).definition));

/** What differs between definitions that are not equal. */
const describeDefinitions = (
  difference: ReturnType<typeof compareDefinitions>,
  { columns }: Pick<Io, 'columns'>,
): readonly string[] => {
  const lines = describeChanges(difference, columns);
  return lines.length === 0 ? ['  ~ the order of nodes or connections'] : lines;
};

const isOwned = ({ tags = [] }: Pick<WorkflowDefinition, 'tags'>, { tag }: Owned): boolean =>
  tag === undefined || tags.includes(tag);

/** @throws CommandError for a file without the tag, since the next pull would not have it */
const refuseUntagged = (files: ReadonlyMap<string, SentFile>, owned: Owned): void => {
  const lacking = [...files.values()].filter(({ content }) => !isOwned(normaliseDefinition(content), owned));
  if (lacking.length > 0)
    throw new CommandError(
      lacking
        .map(({ name, placeOf }) => `${name}:${placeOf('/tags')}: /tags lacks "${owned.tag}"`)
        .join('\n'),
    );
};

const planDeployment = async (folder: string, owned: Owned, context: TargetContext): Promise<Plan> => {
  const files = await readFolder(folder, context.io);
  refuseUntagged(files, owned);
  const stored = await readStored(context);
  const puts = [...files].flatMap(([id, file]): PlannedPut[] => {
    const known = stored.get(id);
    if (known === undefined) return [{ id, file: { ...file, replaces: null }, difference: null }];
    const definition = normaliseDefinition(file.content);
    if (isDeepStrictEqual(definition, known.definition)) return [];
    const difference = compareDefinitions(known.definition, definition);
    return [{ id, file: { ...file, replaces: known.version }, difference }];
  });
  const others = [...stored].flatMap(([id, { version, definition }]) =>
    files.has(id) || !isOwned(definition, owned) ? [] : [{ id, version }],
  );
  const definitions = [...files.values()].map(({ content }) => normaliseDefinition(content));
  const ofStage = await compareStage(folder, definitions, context);
  return { puts, others, unchanged: files.size - puts.length, ofStage };
};

const toLines = (ids: readonly string[]): readonly string[] =>
  ids.map((id) => `- ${id} is not in the folder`);

const MAX_NAMED = 10;

/** One line, since a service may have many workflows that this folder is not about. */
const toKeptLine = (ids: readonly string[]): readonly string[] => {
  if (ids.length === 0) return [];
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  return [`Not in the folder, and kept without --prune: ${ids.slice(0, MAX_NAMED).join(', ')}${more}`];
};

const showPlan = (plan: Plan, { json }: { readonly json?: true }, io: Io): void => {
  if (json !== true) printPlan(plan, io);
  else printJson(toShown(plan), io);
};

const toShown = ({ puts, others, ofStage }: Plan) => ({
  new: puts.filter(({ difference }) => difference === null).map(({ id }) => id),
  changed: puts.flatMap(({ id, difference }) => (difference === null ? [] : [{ id, ...difference }])),
  notInFolder: others.map(({ id }) => id),
  stage: ofStage.map(({ line, command }) => ({ problem: line, command })),
});

/** @param describeOthers - says what the folder lacks */
const printPlan = (
  { puts, others, unchanged, ofStage }: Plan,
  io: Io,
  describeOthers: (ids: readonly string[]) => readonly string[] = toLines,
): void => {
  for (const { id, difference } of puts) {
    io.print(difference === null ? `+ ${id} is new` : `~ ${id} changes`);
    if (difference !== null) printLines(describeDefinitions(difference, io), io);
  }
  printLines(describeOthers(others.map(({ id }) => id)), io);
  for (const { line } of ofStage) io.print(`! ${line}`);
  for (const { command } of ofStage) io.note(`A deployment does not change this: ${command}`);
  if (puts.length + others.length + ofStage.length === 0) io.print('Nothing differs.');
  else if (unchanged > 0) io.note(`Unchanged: ${unchanged}`);
};

const deployFolder = async (
  folder: string,
  context: TargetContext,
  { prune, dryRun, yes, message, ...owned }: Options<typeof DEPLOY_OPTIONS>,
): Promise<void> => {
  const { io, target } = context;
  const plan = await planDeployment(folder, owned, context);
  printPlan(plan, io, prune === true ? toLines : toKeptLine);
  const files = plan.puts.map(({ file }) => file);
  const removed = prune === true ? plan.others : [];
  if (dryRun === true) return checkFiles(files, context);
  const count = files.length + removed.length;
  if (count === 0) return;
  if (yes !== true)
    await confirmOnTerminal(
      `Make ${count === 1 ? 'this change' : `these ${count} changes`}?`,
      'Nothing was changed.',
      io,
    );
  await orChanges(
    files,
    context,
    storeFiles(files, message, context),
    (changes) =>
      `Not deployed: since the comparison, somebody else has changed ${changes.map(({ id }) => id).join(', ')}, see above. Merge that into the folder, and deploy again.`,
  );
  for (const { id, version } of removed) {
    const headers = { 'if-match': `"${version}"` };
    await target.api.call('DELETE', `${WORKFLOWS}/${id}`, { headers }).catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.code !== 'precondition-failed') throw error;
      throw new CommandError(
        `${id} was not removed: since the comparison, somebody else has changed it. Deploy again to compare again.`,
      );
    });
    io.print(`${id}: removed`);
  }
};

/** Writes what differs. A file keeps its name and its `$schema`; a workflow without a file gets `ID.json`. */
const pullFolder = async (folder: string, context: TargetContext, owned: Owned): Promise<void> => {
  const { io } = context;
  const path = resolve(callerFolder(io.env), folder);
  const isThere = (await stat(path).catch(() => null)) !== null;
  const files = isThere ? await readPulled(folder, io) : new Map<string, SentFile>();
  const all = await readStored(context);
  const stored = new Map(
    [...all].filter(([id, { definition }]) => files.has(id) || isOwned(definition, owned)),
  );
  refuseTakenNames(folder, files, stored);
  await createFolder(folder, io);
  for (const [id, { definition }] of stored) {
    const file = files.get(id);
    const before = file === undefined ? null : normaliseDefinition(file.content);
    if (isDeepStrictEqual(before, definition)) continue;
    const { $schema } = isPlainObject(file?.content) ? file.content : {};
    const name = file?.name ?? fileOf(folder, id);
    await writeText(name, toFileText(definition, $schema), io);
    io.print(`${id}: ${file === undefined ? 'new' : 'changed'}, ${name}`);
    // What was edited in the file is lost unless git has it, so it is shown.
    if (before !== null) printLines(describeDefinitions(compareDefinitions(before, definition), io), io);
  }
  for (const [id, { name }] of files)
    if (!stored.has(id)) io.note(io.paint('yellow', `${name}: the service has no workflow ${id}`));
  const definitions = [...stored.values()].map(({ definition }) => definition);
  await pullStage(folder, definitions, context);
};

/** A new file must not replace the file of another workflow, or leave the folder. @throws CommandError before any is written */
const refuseTakenNames = (
  folder: string,
  files: ReadonlyMap<string, SentFile>,
  stored: ReadonlyMap<string, ReadWorkflow>,
): void => {
  const owners = new Map([...files].map(([id, { name }]) => [name, id]));
  for (const id of stored.keys()) {
    if (!isId(id)) throw new CommandError('The service lists a workflow whose id is not valid.');
    const owner = files.has(id) ? undefined : owners.get(fileOf(folder, id));
    if (owner !== undefined)
      throw new CommandError(
        `${fileOf(folder, id)} holds the workflow ${owner}: rename it, so that ${id} can be written there.`,
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
