import type { Clock } from '@hookloom/plugin-kit';
import pLimit from 'p-limit';
import { type ExecutionStatus, hasEndedBadly } from '../../../executions/record/execution-store.ts';
import { TABLES } from '../../../health/tables.ts';
import { isAppError } from '../../../shared/errors.ts';
import type { Attributes, Item } from '../attributes.ts';
import { EARLIER_CALLBACKS, timeShardOf } from '../executions/execution-item.ts';
import { type Change, translateErrors, updateItem } from '../items.ts';
import { OLDEST_VERSION, SCHEMA_VERSION, versionOf } from '../schema/schema.ts';
import type { StageTables, TableNames } from '../table-names.ts';
import { TABLE_KEYS } from './check-stored-data.ts';
import { readStageVersions, writeStageVersions } from './stage-versions.ts';

/**
 * Finds what an item of an earlier version lacks. Executions and callbacks of earlier versions are not in the lists of
 * all workflows; otherwise versions 2 to 4 have the same attributes. A callback keeps its form, since the run that
 * waits for it continues with the code that it started with, and may ask again.
 * @returns what to write, and from which attributes that was computed: it is written only if they are unchanged
 */
const toCurrent = (item: Item): { readonly set: Attributes; readonly from: readonly string[] } => {
  const { executionId, workflowId, status } = item;
  if (executionId?.S === undefined || workflowId === undefined) return { set: {}, from: [] };
  const isCallback = item.callback !== undefined;
  const endedBadly = !isCallback && hasEndedBadly(status?.S as ExecutionStatus);
  const timeShard = isCallback ? EARLIER_CALLBACKS : timeShardOf(executionId.S, endedBadly);
  return { set: { timeShard }, from: ['timeShard'] }; // if it ends in the meantime, its end sets it
};

interface TableReport {
  readonly table: string;
  readonly found: Readonly<Record<string, number>>;
  readonly migrated: number;
  /** Items changed by others in the meantime; another run of the command checks them again. */
  readonly skipped: number;
  /** Items of versions that this release can't read; they are not changed. */
  readonly unread: number;
}

export interface MigrationReport {
  readonly version: number;
  readonly isDryRun: boolean;
  readonly tables: readonly TableReport[];
  readonly isComplete: boolean;
}

interface MigrationParts extends StageTables {
  /** Other tables, such as the local engine's, with their keys. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
  readonly isDryRun: boolean;
  readonly sleep: Clock['sleep'];
  readonly onPage: (table: string, read: number) => void;
}

const PAGE_SIZE = 200;
const CONCURRENCY = 8;
/** Delays before a refused, usually throttled, call is repeated, in milliseconds. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/**
 * Rewrites what was stored in earlier versions. Each item is written only if it has not changed, so this can run
 * alongside the service, be interrupted, and run again without touching what is done.
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const migrateStoredData = async (parts: MigrationParts): Promise<MigrationReport> => {
  const { client, tables, others = {}, isDryRun } = parts;
  const reports: TableReport[] = [];
  for (const [table, keys] of [...toKeys(tables), ...Object.entries(others)])
    reports.push(await migrateTable(table, keys, parts));
  const isComplete = reports.every(({ found }) =>
    Object.keys(found).every((version) => Number(version) === SCHEMA_VERSION),
  );
  const isDone = isComplete || (!isDryRun && reports.every(({ skipped, unread }) => skipped + unread === 0));
  if (isDone && !isDryRun) {
    const known = await readStageVersions(client, tables);
    const newest = Math.max(known?.newest ?? 0, SCHEMA_VERSION);
    await writeStageVersions(client, tables, { oldest: SCHEMA_VERSION, newest });
  }
  return { version: SCHEMA_VERSION, isDryRun, tables: reports, isComplete: isDone };
};

const toKeys = (tables: TableNames): (readonly [string, readonly string[]])[] =>
  TABLE_KEYS.map((name) => [tables[name], TABLES[name].key.split(' ')]);

const migrateTable = async (
  TableName: string,
  keys: readonly string[],
  parts: MigrationParts,
): Promise<TableReport> => {
  const found: Record<string, number> = {};
  const counts = { migrated: 0, skipped: 0, unread: 0 };
  const limit = pLimit(CONCURRENCY);
  let read = 0;
  let from: Item | undefined;
  do {
    const page = await patiently(parts, () =>
      parts.client.scan({ TableName, Limit: PAGE_SIZE, ExclusiveStartKey: from, ConsistentRead: true }),
    );
    const items = (page.Items ?? []).filter(({ executionId }) => executionId?.S !== 'stored data');
    await limit.map(items, async (item) => {
      const version = versionOf(item);
      found[version] = (found[version] ?? 0) + 1;
      if (version === SCHEMA_VERSION) return;
      if (version < OLDEST_VERSION || version > SCHEMA_VERSION) counts.unread++;
      else if (!parts.isDryRun)
        counts[(await rewriteItem(TableName, keys, item, parts)) ? 'migrated' : 'skipped']++;
    });
    read += items.length;
    parts.onPage(TableName, read);
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return { table: TableName, found, ...counts };
};

/** @returns false if the item has changed since it was read, or no longer exists */
const rewriteItem = async (
  TableName: string,
  keys: readonly string[],
  item: Item,
  parts: MigrationParts,
): Promise<boolean> => {
  const { set, from } = toCurrent(item);
  const unchanged = ['schema', ...from];
  const key = Object.fromEntries(Object.entries(item).filter(([attribute]) => keys.includes(attribute)));
  const change: Change = {
    condition: [
      ...keys.map((name) => `attribute_exists(#${name})`),
      ...unchanged.map((name) =>
        item[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :from_${name}`,
      ),
    ].join(' AND '),
    set: { ...set, schema: SCHEMA_VERSION },
    values: Object.fromEntries(unchanged.map((name) => [`:from_${name}`, item[name]])),
  };
  const isOurs = ({ schema }: Item) => schema?.N === String(SCHEMA_VERSION);
  const table = { client: parts.client, TableName };
  return (await patiently(parts, () => updateItem(table, key, change, isOurs))) !== null;
};

/** Repeats a call, with growing delays, while the store refuses it. */
const patiently = async <Output>({ sleep }: MigrationParts, call: () => Promise<Output>): Promise<Output> => {
  for (let tries = 0; ; tries++) {
    try {
      return await translateErrors(call());
    } catch (error) {
      const delayMs = DELAYS_MS[tries];
      if (!isAppError(error, 'STORE_UNAVAILABLE') || delayMs === undefined) throw error;
      await sleep(delayMs);
    }
  }
};
