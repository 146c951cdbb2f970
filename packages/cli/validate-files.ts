import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type CredentialType, isPlainObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import type { PluginEntry } from '../../lib/plugins/plugin.ts';
import { didYouMean, quote } from '../../lib/shared/describe.ts';
import { findNearest } from '../../lib/shared/near-name.ts';
import {
  describeTaken,
  findRegisteringSource,
  type Registration,
  wantedRegistrations,
} from '../../lib/triggers/registrations/registration.ts';
import { findCredentialUses } from '../../lib/workflows/definition/credential-uses.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import { findVariables } from '../../lib/workflows/definition/find-variables.ts';
import type { Problem } from '../../lib/workflows/definition/problem.ts';
import { checkId, findTriggerWarnings } from '../authoring/stage/check-workflows.ts';
import { checkCredentials, findMetricsProblem } from '../authoring/stage/find-store-problems.ts';
import { findTimes } from '../authoring/stage/find-times.ts';
import { findUrlWarnings } from '../authoring/stage/find-warnings.ts';
import { checkSubworkflows, findSubworkflowCircles } from '../authoring/validation/check-subworkflows.ts';
import { findFormatChanges } from '../authoring/validation/find-format-changes.ts';
import { readDraft } from '../authoring/validation/graph/draft-graph.ts';
import { listSubworkflows } from '../authoring/validation/graph/subworkflows.ts';
import { createInferCalled, type FindCalled } from '../authoring/validation/types/called-workflows.ts';
import type { CommandContext } from './command.ts';
import { CommandError } from './command-error.ts';
import { type Io, printJson } from './io.ts';
import { callerFolder } from './local/project-folder.ts';
import { parseJson } from './parse-json.ts';
import { printTimes, workflowIdOf } from './put-workflows.ts';
import {
  findSameIds,
  InvalidWorkflow,
  isWorkflowFile,
  listFiles,
  onlyWorkflows,
  readInput,
  readWorkflow,
  type WorkflowFile,
} from './read-file.ts';
import { readStage } from './stage-files.ts';

interface CheckContext extends Pick<CommandContext, 'io' | 'loadPlugins'> {
  readonly findNodeType: FindNodeType;
  /** Whether to print the findings as JSON. */
  readonly isJson?: boolean;
}

/** What the files beside a workflow say of the service that it is for. */
interface Beside extends Awaited<ReturnType<typeof readStage>> {
  /** The other workflows, valid or not, by id. */
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
}

type Noun = 'workflow' | 'credential' | 'variable';

/** The names of what only a service knows, by its kind. */
type Unknown = Readonly<Record<Noun | 'value of the variable', Set<string>>>;

/**
 * Checks files by themselves and against those beside them: other workflows, and what the folder states of credentials and
 * variables. Reports on all files before it fails, and on what only a service knows.
 *
 * @throws CommandError with the problems
 */
export const validateFiles = async (
  paths: readonly string[],
  { io: given, findNodeType, loadPlugins, isJson = false }: CheckContext,
): Promise<void> => {
  const io = isJson ? { ...given, print: () => {}, note: () => {} } : given;
  const reports: object[] = [];
  const problems: string[] = [];
  const valid: WorkflowFile[] = [];
  const unknown: Unknown = {
    workflow: new Set(),
    credential: new Set(),
    variable: new Set(),
    'value of the variable': new Set(),
  };
  const taken = new Map<string, Registration>();
  const files = await listWithFolders(paths, io);
  const { openBeside, findBeside } = createOpenBeside(files, io);
  for (const { file: path, folder } of files) {
    try {
      const inferCalled = createInferCalled(findBeside(folder), findNodeType);
      const file = await readWorkflow(path, io, findNodeType, inferCalled);
      const { definition } = file;
      const beside = await openBeside(folder, definition);
      const found = [
        ...checkId(definition, false, false),
        ...checkTaken(definition, taken, findNodeType),
        ...(await checkBeside(definition, beside, unknown, { findNodeType, loadPlugins })),
      ];
      valid.push(file);
      const refused = found.filter(({ severity }) => severity === undefined);
      if (refused.length === 0) io.print(`${path}: ${definition.id} is valid`);
      problems.push(...refused.map(file.toLine));
      const warnings = [
        ...findTriggerWarnings(definition, findNodeType),
        ...found.filter(({ severity }) => severity === 'warning'),
      ];
      for (const warning of [...file.warnings, ...warnings.map(file.toLine)])
        io.note(io.paint('yellow', warning));
      const findings = [...file.findings, ...[...refused, ...warnings].map(file.toFinding)];
      reports.push({ file: path, id: definition.id, valid: refused.length === 0, findings });
      for (const change of findFormatChanges(definition, findNodeType)) io.print(file.toLine(change));
      printTimes(definition.id, await findTimes(definition, io.now()), io);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push(error.message);
      const findings =
        error instanceof InvalidWorkflow
          ? error.findings
          : [{ severity: 'error', pointer: '', message: error.message }];
      reports.push({ file: path, id: null, valid: false, findings });
    }
  }
  const placed = problems.length;
  problems.push(...findSameIds(valid.map(({ file, definition }) => ({ file, id: definition.id }))));
  const metrics = await findMetricsProblem(
    valid.map(({ definition }) => definition),
    async () => [],
  );
  if (metrics !== null) problems.push(metrics);
  for (const [noun, names] of Object.entries(unknown))
    if (names.size > 0) io.note(`Not checked without a service: ${noun} ${[...names].sort().join(', ')}`);
  if (isJson)
    printJson({ valid: problems.length === 0, files: reports, problems: problems.slice(placed) }, given);
  if (problems.length > 0) throw new CommandError([...new Set(problems)].join('\n'));
};

interface FileOfFolder {
  readonly file: string;
  /** The folder that was named, or in which a named file is; null for standard input. */
  readonly folder: string | null;
}

const listWithFolders = async (paths: readonly string[], io: Io): Promise<readonly FileOfFolder[]> => {
  const lists = onlyWorkflows(paths).map(async (path) =>
    (await listFiles([path], io)).map((file) => ({
      file,
      folder: file !== path ? path : path === '-' ? null : dirname(path),
    })),
  );
  return (await Promise.all(lists)).flat();
};

/** Opens what is beside a workflow. The files of its folder that were not named are read only if it runs a workflow of none that was. */
const createOpenBeside = (files: readonly FileOfFolder[], io: Io) => {
  const named = readDrafts(
    files.flatMap(({ file }) => (file === '-' ? [] : [file])),
    io,
  );
  const stages = new Map<string, ReturnType<typeof readStage>>();
  const others = new Map<string, ReturnType<typeof readDrafts>>();
  const readOthers = (folder: string) => {
    const read = others.get(folder) ?? listBeside(folder, io).then((list) => readDrafts(list, io));
    others.set(folder, read);
    return read;
  };
  const findBeside =
    (folder: string | null): FindCalled =>
    async (id) =>
      (await named).get(id) ?? (folder === null ? null : ((await readOthers(folder)).get(id) ?? null));
  const openBeside = async (folder: string | null, definition: WorkflowDefinition): Promise<Beside> => {
    const all = await named;
    const workflows = all.has(definition.id) ? all : new Map([...all, [definition.id, definition]]);
    if (folder === null) return { workflows, credentials: null, variables: null };
    const stage = stages.get(folder) ?? readStage(folder, { io });
    stages.set(folder, stage);
    const { credentials, variables } = await stage;
    if (listSubworkflows(definition).every(({ workflowId }) => workflows.has(workflowId)))
      return { workflows, credentials, variables };
    return { workflows: new Map([...(await readOthers(folder)), ...workflows]), credentials, variables };
  };
  return { openBeside, findBeside };
};

const listBeside = async (folder: string, { env }: Io): Promise<readonly string[]> => {
  const names = await readdir(resolve(callerFolder(env), folder)).catch(() => []);
  return names.filter(isWorkflowFile).map((name) => join(folder, name));
};

/** Reads workflows by id. What is no workflow is left out: it may be any file. */
const readDrafts = async (
  files: readonly string[],
  io: Io,
): Promise<ReadonlyMap<string, WorkflowDefinition>> => {
  const drafts = new Map<string, WorkflowDefinition>();
  for (const file of files) {
    const content = await readInput(file, io)
      .then(({ name, text }) => parseJson(text, name))
      .catch(() => null);
    const id = workflowIdOf(content);
    if (id !== null && isPlainObject(content)) drafts.set(id, readDraft(content).definition);
  }
  return drafts;
};

/**
 * Finds triggers that need what only one can have, such as a queue, and another has.
 *
 * @param taken - the registrations of the workflows before, by name; those of this one are added
 */
const checkTaken = (
  definition: WorkflowDefinition,
  taken: Map<string, Registration>,
  findNodeType: FindNodeType,
): Problem[] => {
  return wantedRegistrations(definition, findNodeType).flatMap((wanted) => {
    const other = taken.get(wanted.name);
    taken.set(wanted.name, other ?? wanted);
    const index = definition.nodes.findIndex(({ id }) => id === wanted.triggerNodeId);
    return other === undefined
      ? []
      : [{ path: `/nodes/${index}`, message: `can't be registered: ${describeTaken(other)}` }];
  });
};

/** Checks what a workflow names against what is beside it. What is not there may be in the service: a warning if a name is near. */
const checkBeside = async (
  definition: WorkflowDefinition,
  { workflows, credentials, variables }: Beside,
  unknown: Unknown,
  { findNodeType, loadPlugins }: Omit<CheckContext, 'io'>,
): Promise<readonly Problem[]> => {
  const missing = new Set<string>();
  const near: Problem[] = [];
  const look = (noun: Noun, name: string, path: string, known: ReadonlyMap<string, unknown> | null): void => {
    if (known?.has(name) === true) return;
    missing.add(path);
    const meant = findNearest(name, [...(known?.keys() ?? [])]);
    const message = `no file beside it has the ${noun} ${quote(name)}${didYouMean(meant)}`;
    if (meant === null) unknown[noun].add(name);
    else near.push({ path, severity: 'warning', message });
  };
  for (const { path, workflowId } of listSubworkflows(definition))
    look('workflow', workflowId, path, workflows);
  for (const [index, node] of definition.nodes.entries()) {
    for (const { path, credentialId } of findCredentialUses(node, findNodeType))
      look('credential', credentialId, `/nodes/${index}${path}`, credentials);
    const read = findVariables(node.parameters);
    if (read === 'all') continue;
    for (const name of read) look('variable', name, `/nodes/${index}/parameters`, variables);
    if (findRegisteringSource(node.type, findNodeType) !== null)
      for (const name of read) unknown['value of the variable'].add(name);
  }

  const others = {
    find: async (id: string) => workflows.get(id) ?? null,
    listIds: async () => [],
  };
  const ofOthers = [
    ...(await checkSubworkflows(definition, others)).map(({ path, message }) => ({
      path,
      message: `the node fails until this is fixed: ${message}`,
    })),
    ...(await findSubworkflowCircles(definition, others)),
  ].map((problem): Problem => ({ ...problem, severity: 'warning' }));
  const ofCredentials = await checkCredentials(definition, findNodeType, {
    findType: async (id) => credentials?.get(id)?.type ?? null,
    listIds: async () => [],
  });
  const ofUrls = await findUrlWarnings(definition, findNodeType, {
    store: {
      find: async (id) => {
        const { type, hosts } = credentials?.get(id) ?? {};
        return type === undefined || hosts === undefined ? null : { type, hosts };
      },
    },
    findType: async (id) => findCredentialType(id, await loadPlugins()),
  });
  return [...near, ...[...ofOthers, ...ofCredentials].filter(({ path }) => !missing.has(path)), ...ofUrls];
};

const findCredentialType = (id: string, plugins: readonly PluginEntry[]): CredentialType | null =>
  plugins.flatMap(({ plugin }) => plugin?.credentialTypes ?? []).find((type) => type.id === id) ?? null;
