import { type Item, readNumber } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { translateErrors, updateItem } from '../items.ts';
import { OLDEST_VERSION, SCHEMA_VERSION, UNSTATED_VERSION } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';

interface StageVersions {
  readonly oldest: number;
  readonly newest: number;
}

type Tables = Pick<TableNames, 'executions'>;

// One item among the executions, whose ids contain no space. Its form is the same in all versions, because earlier and
// later releases have to understand it. So it states no version, and is not checked like other items.
const Key: Item = { executionId: { S: 'stored data' } };

/** @returns null if no release has recorded it @throws AppError `STORE_UNAVAILABLE` */
export const readStageVersions = async (
  client: DynamoDbClient,
  { executions: TableName }: Tables,
): Promise<StageVersions | null> => {
  const { Item: item } = await translateErrors(client.getItem({ TableName, Key, ConsistentRead: true }));
  return item === undefined
    ? null
    : { oldest: readNumber(item, 'oldest'), newest: readNumber(item, 'newest') };
};

/**
 * The version of the schema that added executions to the index by time, and approvals to partitions for all workflows.
 */
const FIRST_BY_TIME = 4;

/** Whether some items may be missing from the lists of all workflows, because they have not been migrated. */
export const createHoldsUnlisted =
  (client: DynamoDbClient, tables: Tables): (() => Promise<boolean>) =>
  async () => {
    const stage = await readStageVersions(client, tables);
    return stage !== null && stage.oldest < FIRST_BY_TIME;
  };

/**
 * Records that this release writes here, unless that is already recorded.
 * @param isNew - whether nothing was stored before
 * @returns what the stage may hold from now on; versions that this release can't read stay recorded
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

/** Writes the data versions of a stage. @throws AppError `STORE_UNAVAILABLE` */
export const writeStageVersions = async (
  client: DynamoDbClient,
  { executions: TableName }: Tables,
  { oldest, newest }: StageVersions,
): Promise<void> => {
  await updateItem({ client, TableName }, Key, {
    condition: '',
    statesVersion: false,
    set: { oldest, newest },
  });
};

/** What is wrong, and what to do about it. */
export interface StoredDataProblem {
  readonly problem: string;
  readonly remedy: string;
  /** What is missing, if anything; `addedIndex` if an upgrade adds it. */
  readonly lacks?: 'table' | 'index' | 'addedIndex';
}

/** Returns why this release can't read the stage; null if it can. */
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
      remedy: `Go back to the release that reads version ${oldest} and ${oldest + 1}, run its \`hookloom migrate\`, then upgrade.`,
    };
  return null;
};
