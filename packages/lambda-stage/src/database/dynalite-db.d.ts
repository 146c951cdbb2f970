declare module 'dynalite/db/index.js' {
  import type { AttributeValue } from '@aws-sdk/client-dynamodb';

  type Item = Record<string, AttributeValue>;
  type Done = (error: Error | null) => void;

  /** The items of a table, by dynalite's own keys. */
  export interface ItemDb {
    get(key: string, done: (error: Error | null, item: Item | undefined) => void): void;
    put(key: string, item: Item, done: Done): void;
    del(key: string, done: Done): void;
  }

  /** What dynalite keeps; `tableDb` has a record of each table, by its name. */
  export interface Store {
    readonly tableDb: {
      get(name: string, done: (error: Error | null, table: unknown) => void): void;
      put(name: string, table: unknown, done: Done): void;
    };
    /** Always the same for a table. */
    getItemDb(table: string): ItemDb;
  }

  const db: { create: (options?: object) => Store };
  export default db;
}
