import { isPlainObject } from '@hookloom/plugin-kit';
import type { storedWorkflow, validateWorkflowsRoute } from '../../lib/app/edit-workflows.ts';
import type { pointedText } from '../../lib/app/workflows.ts';
import type { AnswerTo, BodyOf } from '../../lib/http/api-route.ts';
import type { WorkflowDefinition } from '../../lib/workflows/definition/definition.ts';
import type { TriggerTimes } from '../../lib/workflows/definition/problem.ts';
import { ApiProblem } from './admin-api.ts';
import type { Options, TargetContext } from './command.ts';
import { CommandError, usageError } from './command-error.ts';
import { describeDifference, type VersionDifference } from './difference-text.ts';
import { type Io, printLines } from './io.ts';
import { locateValues, parseWorkflow } from './parse-json.ts';
import { readVersionNumber } from './read-arguments.ts';
import { findSameIds, listFiles, readInput } from './read-file.ts';

export interface SentFile {
  readonly name: string;
  readonly content: unknown;
  /** Converts a JSON pointer to the line and column of its value. */
  readonly placeOf: (pointer: string) => string;
  /** The version that it replaces, null if there must be none; absent to replace any. */
  readonly replaces?: number | null;
}

type ApiError = BodyOf<typeof pointedText>;

export type StoredWorkflow = BodyOf<typeof storedWorkflow>;

/** Workflows and bytes of one request to the API, below its limits. */
const MAX_SENT = 100;
const MAX_SENT_BYTES = 3_500_000;

export const WORKFLOWS = '/api/admin/workflows';

/** A version of a workflow, as the admin API answers it. */
export interface ReadWorkflow {
  readonly version: number;
  readonly definition: WorkflowDefinition;
}

export const PUT_OPTIONS = [
  ['--message <text>', 'why, for the history of the workflow'],
  ['--dry-run', 'check them against the service, and store nothing'],
  ['--replaces <version>', 'store a file only if this version is still current', readVersionNumber],
] as const;

export const putFiles = async (
  files: readonly string[],
  context: TargetContext,
  { message, dryRun, replaces }: Options<typeof PUT_OPTIONS>,
): Promise<void> => {
  const sent = await readFiles(await listFiles(files, context.io), context.io);
  if (replaces !== undefined && sent.length !== 1) throw usageError('--replaces is for a single file.');
  if (dryRun === true) await checkFiles(sent, context);
  else if (replaces === undefined) await storeFiles(sent, message, context);
  else await replaceVersion(sent, replaces, message, context);
};

/** If another version is current, shows what changed since then: that is to be merged into the file. */
const replaceVersion = async (
  files: readonly SentFile[],
  version: number,
  message: string | undefined,
  context: TargetContext,
): Promise<void> => {
  const replacing = files.map((file) => ({ ...file, replaces: version }));
  await orChanges(replacing, context, storeFiles(replacing, message, context), ([change]) =>
    change?.current == null
      ? 'The workflow was removed in the meantime. Nothing was stored.'
      : `Version ${change.current} was stored in the meantime, see above. Merge it into the file, and replace version ${change.current}. Nothing was stored.`,
  );
};

/** A workflow whose current version is not the one that its file replaces. */
interface OtherChange {
  readonly id: string;
  /** Null if the workflow was removed. */
  readonly current: number | null;
}

/** If files were not stored because their workflows have changed, shows what the changes were. */
export const orChanges = async (
  files: readonly SentFile[],
  { io, target }: TargetContext,
  stored: Promise<void>,
  explainChanges: (changes: readonly OtherChange[]) => string,
): Promise<void> => {
  try {
    await stored;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'workflow-changed') throw error;
    const listed = await target.api.list<{ readonly id: string; readonly version: number }>(
      WORKFLOWS,
      'workflows',
    );
    const versions = new Map(listed.map(({ id, version }) => [id, version]));
    const changes: OtherChange[] = [];
    for (const { content, replaces } of files) {
      const id = workflowIdOf(content);
      const current = (id === null ? null : versions.get(id)) ?? null;
      if (id === null || replaces === undefined || replaces === current) continue;
      changes.push({ id, current });
      if (current === null) io.print(`${id}: removed`);
      else if (replaces === null) io.print(`${id}: version ${current} is new`);
      else {
        const query = { from: replaces, to: current };
        const difference = await target.api.call<VersionDifference>('GET', `${WORKFLOWS}/${id}/diff`, {
          query,
        });
        printLines(describeDifference(difference, io.columns), io);
      }
    }
    // Changed, and changed back.
    if (changes.length === 0) throw error;
    throw new CommandError(explainChanges(changes));
  }
};

/** @throws CommandError for a file that can't be read, is not JSON, or has the id of another one */
export const readFiles = async (paths: readonly string[], io: Io): Promise<readonly SentFile[]> => {
  const files: SentFile[] = [];
  for (const path of paths) {
    const { name, text } = await readInput(path, io);
    files.push({ name, content: parseWorkflow(text, name), placeOf: locateValues(text) });
  }
  const problems = findSameIds(files.map(({ name, content }) => ({ file: name, id: workflowIdOf(content) })));
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  return files;
};

/** Checks files against the service, with what it warns of. @throws CommandError with the problems */
export const checkFiles = async (files: readonly SentFile[], context: TargetContext): Promise<void> => {
  for (const batch of toBatches(files))
    for (const { id, warnings, times } of await validateBatch(batch, context)) {
      printWarnings(warnings, batch, context.io);
      context.io.print(`${id}: can be stored`);
      printTimes(String(id), ofMany(files, times), context.io);
    }
};

/** Stores all files or none, unless there are more than one request holds: then those are checked first. */
export const storeFiles = async (
  files: readonly SentFile[],
  message: string | undefined,
  context: TargetContext,
): Promise<void> => {
  const { io, target } = context;
  const batches = toBatches(files);
  let count = 0;
  const describeStored = (): string => {
    if (count > 0)
      return `${count} of ${files.length} workflows were stored, see above; the others were not.`;
    return files.length === 1 ? '' : 'Nothing was stored.';
  };
  if (batches.length > 1) for (const batch of batches) await validateBatch(batch, context, describeStored());
  for (const batch of batches) {
    const { workflows } = await target.api
      .call<{ readonly workflows: readonly StoredWorkflow[] }>('PUT', WORKFLOWS, {
        query: { message },
        body: toBatchBody(batch),
      })
      .catch((error: unknown) => {
        if (!(error instanceof ApiProblem) || !Array.isArray(error.members.errors)) throw error;
        throw refusal(error.members.errors as unknown as readonly ApiError[], batch, describeStored());
      });
    for (const stored of workflows) printStored({ ...stored, times: ofMany(files, stored.times) }, batch, io);
    count += workflows.length;
  }
};

const toBatchBody = (batch: readonly SentFile[]) => ({
  workflows: batch.map(({ content, replaces }) => ({ definition: content, replaces })),
});

export const workflowIdOf = (content: unknown): string | null =>
  isPlainObject(content) && typeof content.id === 'string' ? content.id : null;

const toBatches = (files: readonly SentFile[]): readonly (readonly SentFile[])[] => {
  const batches: SentFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Buffer.byteLength(JSON.stringify(file.content));
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_SENT || bytes + size > MAX_SENT_BYTES) {
      batches.push([file]);
      bytes = size;
    } else {
      last.push(file);
      bytes += size;
    }
  }
  return batches;
};

/** @throws CommandError with the problems of all files, which ends with `ending` */
const validateBatch = async (
  batch: readonly SentFile[],
  { target }: TargetContext,
  ending = '',
): Promise<AnswerTo<typeof validateWorkflowsRoute>['workflows']> => {
  const path = `${WORKFLOWS}/validate`;
  const { workflows } = await target.api.call<AnswerTo<typeof validateWorkflowsRoute>>('POST', path, {
    body: toBatchBody(batch),
  });
  const errors = workflows.flatMap((one) => one.errors);
  if (errors.length > 0) throw refusal(errors, batch, ending);
  return workflows;
};

const printWarnings = (warnings: readonly ApiError[], batch: readonly SentFile[], io: Io): void => {
  for (const warning of warnings) io.note(io.paint('yellow', toProblemLine(warning, batch, 'warning: ')));
};

const refusal = (errors: readonly ApiError[], batch: readonly SentFile[], ending: string): CommandError => {
  const lines = errors.map((one) => toProblemLine(one, batch));
  return new CommandError((ending === '' ? lines : [...lines, ending]).join('\n'));
};

/** One line for a problem or a warning: `orders.json:12:9: /nodes/1/type …`. */
const toProblemLine = ({ pointer, detail }: ApiError, batch: readonly SentFile[], kind = ''): string => {
  const [, index = '0', escaped = ''] = /^#\/workflows\/(\d+)\/definition(.*)$/.exec(pointer) ?? [];
  const path = escaped.split('/').map(decodeURIComponent).join('/');
  const { name = '', placeOf } = batch[Number(index)] ?? {};
  return `${name}:${placeOf?.(path) ?? '1:1'}: ${kind}${path || '/'} ${detail}`;
};

/** @param batch - the files that were sent; null for a workflow that is stored already */
export const printStored = (stored: StoredWorkflow, batch: readonly SentFile[] | null, io: Io): void => {
  const { id, version, changed, triggers, warnings, times, releasing } = stored;
  if (batch !== null) printWarnings(warnings, batch, io);
  else for (const { pointer, detail } of warnings) io.note(io.paint('yellow', `${id}: ${pointer} ${detail}`));
  io.print(`${id}: ${changed ? `version ${version}` : `unchanged, version ${version}`}`);
  for (const nodeId of releasing) io.print(`  requests stored by the trigger ${nodeId} now start to run`);
  for (const { addresses = [] } of triggers)
    for (const { method, url } of addresses) io.print(`  ${method} ${url}`);
  printTimes(id, times, io);
};

const MAX_WITH_ALL_TIMES = 10;

/** The times to print of a workflow: of many files, the next of each schedule is enough. */
const ofMany = (files: readonly SentFile[], found: readonly TriggerTimes[]): readonly TriggerTimes[] =>
  files.length <= MAX_WITH_ALL_TIMES
    ? found
    : found.map(({ times, ...trigger }) => ({ ...trigger, times: times.slice(0, 1) }));

/** Prints when the schedules of a workflow fire next. */
export const printTimes = (id: string, found: readonly TriggerTimes[], io: Io): void => {
  for (const { triggerNodeId, times } of found) {
    for (const time of times) io.print(`  ${triggerNodeId} fires at ${time}`);
    if (times.length === 0) io.note(io.paint('yellow', `${id}: ${triggerNodeId} never fires again`));
  }
};
