declare module 'dynalite/db/index.js' {
  /** What dynalite keeps; `tableDb` has a record of each table, by its name. */
  export interface Store {
    readonly tableDb: {
      get(name: string, done: (error: Error | null, table: unknown) => void): void;
      put(name: string, table: unknown, done: (error: Error | null) => void): void;
    };
  }

  const db: { create: (options?: object) => Store };
  export default db;
}
