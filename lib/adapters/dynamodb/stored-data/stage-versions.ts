import { type Item, number, readNumber, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { updateItem } from '../items.ts';
import { OLDEST_VERSION, SCHEMA_VERSION, UNSTATED_VERSION } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';
import { translateErrors } from '../translate-error.ts';

/** The versions of the schema that a stage may hold, from and to. */
interface StageVersions {
  readonly oldest: number;
  readonly newest: number;
}

type Tables = Pick<TableNames, 'executions'>;

// One item among the executions, whose ids have no space. Its form stays the same in all versions: releases before and after
// have to understand it. So it says no version, and does not pass the door of other items.
const Key: Item = { executionId: text('stored data') };

/** @returns null where no release has noted it @throws AppError `STORE_UNAVAILABLE` */
export const readStageVersions = async (
  client: DynamoDbClient,
  { executions: TableName }: Tables,
): Promise<StageVersions | null> => {
  const { Item: item } = await translateErrors(client.getItem({ TableName, Key, ConsistentRead: true }));
  return item === undefined
    ? null
    : { oldest: readNumber(item, 'oldest'), newest: readNumber(item, 'newest') };
};

/** The version of the schema in which executions got into the index by time, and approvals into partitions over all workflows. */
const FIRST_BY_TIME = 4;

/** Whether there may be what no list over all workflows has, since it has not been migrated. */
export const createHoldsUnlisted =
  (client: DynamoDbClient, tables: Tables): (() => Promise<boolean>) =>
  async () => {
    const stage = await readStageVersions(client, tables);
    return stage !== null && stage.oldest < FIRST_BY_TIME;
  };

/**
 * Notes that this release writes here, unless it is noted.
 *
 * @param isNew - nothing was stored before
 * @returns what the stage may hold from now on; one that this release can't read stays as it is
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const noteStageVersions = async (
  client: DynamoDbClient,
  tables: Tables,
  { isNew }: { readonly isNew: boolean },
): Promise<StageVersions> => {
  const known = await readStageVersions(client, tables);
  if (known !== null && known.newest >= SCHEMA_VERSION) return known;
  const oldest = known?.oldest ?? (isNew ? SCHEMA_VERSION : UNSTATED_VERSION);
  const noted = { oldest, newest: SCHEMA_VERSION };
  if (findVersionProblem(noted) === null) await writeStageVersions(client, tables, noted);
  return noted;
};

/** @throws AppError `STORE_UNAVAILABLE` */
export const writeStageVersions = async (
  client: DynamoDbClient,
  { executions: TableName }: Tables,
  { oldest, newest }: StageVersions,
): Promise<void> => {
  const input = {
    TableName,
    Key,
    UpdateExpression: 'SET oldest = :oldest, newest = :newest',
    ExpressionAttributeValues: { ':oldest': number(oldest), ':newest': number(newest) },
  };
  await updateItem(client, input, null);
};

/** What is wrong, and what to do about it. */
export interface StoredDataProblem {
  readonly problem: string;
  readonly remedy: string;
  /** What is missing, where something is; `addedIndex` where an upgrade adds it. */
  readonly lacks?: 'table' | 'index' | 'addedIndex';
}

/** Null for a stage that this release can read. */
export const findVersionProblem = ({ oldest, newest }: StageVersions): StoredDataProblem | null => {
  const read = `this release reads the versions ${OLDEST_VERSION} to ${SCHEMA_VERSION}`;
  if (newest > SCHEMA_VERSION)
    return {
      problem: `A later release has stored data in version ${newest} of the schema; ${read}.`,
      remedy: 'Continue with that release.',
    };
  if (oldest < OLDEST_VERSION)
    return {
      problem: `There may be data in version ${oldest} of the schema; ${read}.`,
      remedy: `Go back to the release that reads version ${oldest} and ${oldest + 1}, run \`hookloom migrate\` of it, then upgrade.`,
    };
  return null;
};
