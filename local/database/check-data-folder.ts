import { dirname } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createSdkClient } from '../../lib/adapters/dynamodb/sdk-client.ts';
import {
  checkStoredData,
  createListIndexes,
} from '../../lib/adapters/dynamodb/stored-data/check-stored-data.ts';
import { tableNames } from '../../lib/adapters/dynamodb/table-names.ts';
import { StartError } from './start-error.ts';

/**
 * Checks that the data in a folder can be read. Missing tables and indexes are no problem: they are created.
 *
 * @param folder - of the tables, in the data folder
 * @returns whether there are no tables yet
 * @throws StartError
 */
export const checkDataFolder = async (
  client: DynamoDBClient,
  tablePrefix: string,
  folder: string,
): Promise<boolean> => {
  const tables = tableNames(tablePrefix);
  const problems = await checkStoredData({
    client: createSdkClient(client),
    tables,
    listIndexes: createListIndexes(client),
  });
  const wrong = problems.filter(({ lacks }) => lacks !== 'table' && lacks !== 'addedIndex');
  if (wrong.length === 0) return problems.length === Object.keys(tables).length;
  throw new StartError(
    [
      `The data folder ${dirname(folder)} can't be used with this release:`,
      ...wrong.map(({ problem }) => `  ${problem}`),
      'Start the release that created it, so that its runs can finish there, or choose another folder: npm start -- --data DIR.',
      'Nothing in the folder was changed. docs/stored-data.md lists what each release can read.',
    ].join('\n'),
  );
};
