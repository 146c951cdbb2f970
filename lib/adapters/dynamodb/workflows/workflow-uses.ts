import pLimit from 'p-limit';
import { isAppError } from '../../../shared/errors.ts';
import type { CurrentWorkflow } from '../../../workflows/definition/definition.ts';
import { findUses, type ListUsers, type Uses, usesAny } from '../../../workflows/definition/uses.ts';
import type { WorkflowSummary } from '../../../workflows/definition/workflow-store.ts';
import { type Item, json, readJson, readNumber, readText } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { deleteItem, putItem, scanAll } from '../items.ts';
import type { TableNames } from '../table-names.ts';
import type { WorkflowLists } from './workflow-reader.ts';

// What each workflow uses is noted in an item of the settings table, so that its users can be found without reading all
// definitions. A note is written after its workflow, and counts only for that very version: without one, as after a crash,
// a restored table, or a `put` by an earlier release, the definition is read, and noted.

type Tables = Pick<TableNames, 'settings'>;

const PREFIX = 'uses:';
const BATCH_SIZE = 100;
/** How many missing notes one search adds, so that it ends in time. */
const MAX_ADDED = 1_000;
const CONCURRENT_WRITES = 20;

const at = (workflowId: string) => ({ name: `${PREFIX}${workflowId}` });

/** Notes what a version uses. Does not fail if the store can't be reached: a note that is missing is added later. */
export const noteUses = async (
  client: DynamoDbClient,
  { settings: TableName }: Tables,
  { definition, version, updatedAt }: Pick<CurrentWorkflow, 'definition' | 'version' | 'updatedAt'>,
): Promise<void> => {
  const note = { version, updatedAt, uses: json(findUses(definition)) };
  await unlessUnavailable(putItem({ client, TableName }, at(definition.id), note));
};

/** Removes the note of a workflow that is removed; one that is left is ignored. */
export const removeUses = (client: DynamoDbClient, { settings: TableName }: Tables, workflowId: string) =>
  unlessUnavailable(deleteItem({ client, TableName }, at(workflowId)));

const unlessUnavailable = async (write: Promise<unknown>): Promise<void> => {
  try {
    await write;
  } catch (error) {
    if (!isAppError(error, 'STORE_UNAVAILABLE')) throw error;
  }
};

/** Searches the notes, which are some hundred bytes each, and the ids, versions and times of all workflows. */
export const createListUsers =
  (client: DynamoDbClient, tables: Tables, workflows: WorkflowLists): ListUsers =>
  async (used, enough = Number.POSITIVE_INFINITY) => {
    if (used.names.length === 0) return [];
    const [current, notes] = await Promise.all([
      workflows.list(),
      scanAll(
        { client, TableName: tables.settings },
        { FilterExpression: 'begins_with(#name, :prefix)', values: { ':prefix': PREFIX } },
      ),
    ]);
    const known = new Map(notes.map((note) => [readText(note, 'name').slice(PREFIX.length), note]));
    const isNoted = (workflow: WorkflowSummary): boolean => isOf(known.get(workflow.id), workflow);
    const candidates = current.filter((workflow) => {
      const note = known.get(workflow.id);
      return note === undefined || !isNoted(workflow) || usesAny(readJson<Uses>(note, 'uses'), used);
    });
    const unnoted = new Set(candidates.filter((workflow) => !isNoted(workflow)).map(({ id }) => id));
    const inTurn = pLimit(CONCURRENT_WRITES);
    const found: CurrentWorkflow['definition'][] = [];
    let added = 0;
    for (let from = 0; from < candidates.length && found.length < enough; from += BATCH_SIZE) {
      const batch = await workflows.findAll(candidates.slice(from, from + BATCH_SIZE).map(({ id }) => id));
      found.push(...batch.map(({ definition }) => definition).filter((one) => usesAny(findUses(one), used)));
      const missing = batch
        .filter(({ definition }) => unnoted.has(definition.id))
        .slice(0, MAX_ADDED - added);
      added += missing.length;
      await inTurn.map(missing, (workflow) => noteUses(client, tables, workflow));
    }
    return found;
  };

const isOf = (note: Item | undefined, { version, updatedAt }: WorkflowSummary): boolean =>
  note !== undefined && readNumber(note, 'version') === version && readText(note, 'updatedAt') === updatedAt;
