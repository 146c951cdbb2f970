import { promisify } from 'node:util';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import dynaliteDb, { type Item, type Store } from 'dynalite/db/index.js';
import { createClient } from './client.ts';
import { ensureTable } from './ensure-table.ts';

/** A DynamoDB in this process. */
export interface EmbeddedDatabase {
  readonly endpoint: string;
  /** What dynalite keeps, see `withStore`. */
  readonly store: Store;
}

/** The items of a table without indexes, read and written without a request. Binary values are base64 text. */
export interface Items {
  /** Writes items and removes those of the given keys: all or nothing. */
  write(puts: readonly Item[], removed?: readonly Item[]): Promise<void>;
  readAll(): Promise<readonly Item[]>;
}

/** Creates a table unless it exists. Nothing else may write to it: dynalite's locks are not taken. */
export const openItems = async (
  { endpoint, store }: EmbeddedDatabase,
  definition: CreateTableCommandInput & { readonly TableName: string },
): Promise<Items> => {
  const client = createClient(endpoint);
  await ensureTable(client, definition).finally(() => client.destroy());
  const { TableName } = definition;
  const table = await promisify(store.tableDb.get)(TableName);
  const db = store.getItemDb(TableName);
  return {
    write: (puts, removed = []) =>
      new Promise((resolve, reject) =>
        db.batch(
          [
            ...puts.map((value) => ({
              type: 'put' as const,
              key: dynaliteDb.createKey(value, table),
              value,
            })),
            ...removed.map((key) => ({ type: 'del' as const, key: dynaliteDb.createKey(key, table) })),
          ],
          (error) => (error === null ? resolve() : reject(error)),
        ),
      ),
    readAll: async () => {
      const items: Item[] = [];
      for await (const item of db.createValueStream({})) items.push(item);
      return items;
    },
  };
};
