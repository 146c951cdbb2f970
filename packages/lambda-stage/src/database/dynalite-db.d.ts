declare module 'dynalite/db/index.js' {
  import type { AttributeValue } from '@aws-sdk/client-dynamodb';

  /** As dynalite keeps it: binary values are base64 text. */
  export type Item = Record<string, AttributeValue>;
  type Done = (error: Error | null) => void;

  /** The items of a table, by dynalite's own keys. */
  export interface ItemDb {
    get(key: string, done: (error: Error | null, item: Item | undefined) => void): void;
    put(key: string, item: Item, done: Done): void;
    del(key: string, done: Done): void;
    /** All of the changes or none. */
    batch(changes: readonly Change[], done: Done): void;
    createValueStream(range: object): AsyncIterable<Item>;
  }

  type Change =
    | { readonly type: 'put'; readonly key: string; readonly value: Item }
    | { readonly type: 'del'; readonly key: string };

  type Level = {
    _put(key: string, value: string): Promise<void>;
    _del(key: string): Promise<void>;
    _get(key: string, options: object): Promise<unknown>;
    _getSync(key: string, options: object): unknown;
    _batch(
      changes: readonly { readonly type: string; readonly key: string }[],
      options?: { readonly sync: boolean },
    ): Promise<void>;
  };

  /** What dynalite keeps; `tableDb` has a record of each table, by its name. */
  export interface Store {
    /** In which everything is. */
    readonly db: Level;
    readonly tableDb: {
      get(name: string, done: (error: Error | null, table: unknown) => void): void;
      put(name: string, table: unknown, done: Done): void;
    };
    /** Always the same for a table. */
    getItemDb(table: string): ItemDb;
  }

  const db: {
    create: (options?: object) => Store;
    /** The key of an item, or of its key attributes. */
    createKey(item: Item, table: unknown): string;
  };
  export default db;
}
