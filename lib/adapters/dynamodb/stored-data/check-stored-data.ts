import {
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { TABLES, type TableShape } from '../../../health/tables.ts';
import { SCHEMA_VERSION } from '../schema/schema.ts';
import type { StageTables, TableNames } from '../table-names.ts';
import { findVersionProblem, readStageVersions, type StoredDataProblem } from './stage-versions.ts';

/** All tables, in the order of serverless.yml. */
export const TABLE_KEYS = Object.keys(TABLES) as readonly (keyof TableNames)[];

/** The names of a table's indexes that can be queried; null if there is no such table. */
type ListIndexes = (table: string) => Promise<readonly string[] | null>;

/**
 * Uses `DescribeTable`. For operators and the local service, since functions have no permission for it. An index that
 * is being built is left out.
 */
export const createListIndexes =
  (sdk: DynamoDBClient): ListIndexes =>
  async (TableName) => {
    try {
      const { Table } = await sdk.send(new DescribeTableCommand({ TableName }));
      return (Table?.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName, IndexStatus = 'ACTIVE' }) =>
        IndexName !== undefined && IndexStatus !== 'CREATING' && IndexStatus !== 'DELETING'
          ? [IndexName]
          : [],
      );
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null;
      throw error;
    }
  };

interface StoredDataParts extends StageTables {
  readonly listIndexes: ListIndexes;
}

/**
 * Checks whether this release can work with a stage's data: tables, their indexes, the versions of the schema. It makes
 * one call for each table and one more, so it is for a start, a deployment or an operator, not for requests.
 * @returns what is wrong; empty if the release can work with the stage
 * @throws AppError `STORE_UNAVAILABLE`, or what `listIndexes` throws
 */
export const checkStoredData = async ({
  client,
  tables,
  listIndexes,
}: StoredDataParts): Promise<readonly StoredDataProblem[]> => {
  const indexes = await Promise.all(TABLE_KEYS.map((name) => listIndexes(tables[name])));
  const hasExecutions = indexes[TABLE_KEYS.indexOf('executions')] !== null;
  const stage = hasExecutions ? await readStageVersions(client, tables) : null;
  const isEarlier = stage === null || stage.newest < SCHEMA_VERSION;
  const found = TABLE_KEYS.map((name, position) =>
    findTableProblem(tables[name], TABLES[name], indexes[position] ?? null, isEarlier),
  );
  const ofVersion = stage === null ? null : findVersionProblem(stage);
  return [...found, ofVersion].filter((problem) => problem !== null);
};

const findTableProblem = (
  table: string,
  { indexes = {}, added = [] }: TableShape,
  found: readonly string[] | null,
  isEarlier: boolean,
): StoredDataProblem | null => {
  if (found === null)
    return {
      problem: `There is no table ${table}.`,
      remedy: 'Deploy the stage, or restore the table under this name.',
      lacks: 'table',
    };
  const missing = Object.keys(indexes).filter((name) => !found.includes(name));
  if (missing.length === 0) return null;
  const which = `${missing.length === 1 ? 'index' : 'indexes'} ${missing.join(', ')}`;
  if (isEarlier && missing.every((name) => added.includes(name)))
    return {
      problem: `The table ${table} does not have the ${which} yet.`,
      remedy: 'Deploy the stage with this release, which adds what is missing.',
      lacks: 'addedIndex',
    };
  return {
    problem: `The table ${table} lacks the ${which}: it was created for a version of the schema that this release does not read, was restored without it, or is still building it.`,
    remedy:
      'Wait until its indexes are built, or add what serverless.yml defines. docs/stored-data.md says which release reads what.',
    lacks: 'index',
  };
};
