import { type ConnectOptions, type Database, openDatabase } from './database.ts';
import type { PostgresServer } from './postgres-server.ts';
import { toConnectionError } from './sql-error.ts';

/** Shorter than the idle timeouts of servers and of NAT gateways. */
const IDLE_MS = 30_000;

/** Servers with a connection that is kept; the number of credentials in use is small. */
const MAX_IDLE = 20;

interface IdleDatabase {
  readonly database: Database;
  readonly timer: NodeJS.Timeout;
}

/** Connections of a sandbox, reused between runs: one for each login, closed when it is idle for a while. */
export interface Databases {
  /**
   * Does work over a connection: the idle one of this login, else a new one.
   *
   * @throws the error of `work`, AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError of the connection
   */
  use<Result>(
    server: PostgresServer,
    options: ConnectOptions,
    work: (database: Database) => Promise<Result>,
  ): Promise<Result>;
}

export const createDatabases = (idleMs = IDLE_MS): Databases => {
  const idle = new Map<string, IdleDatabase>();

  const take = (key: string): Database | null => {
    const kept = idle.get(key);
    if (kept === undefined) return null;
    idle.delete(key);
    clearTimeout(kept.timer);
    kept.database.client.ref();
    return kept.database;
  };

  const keep = (key: string, database: Database): void => {
    if (!database.isIdle() || idle.has(key) || idle.size >= MAX_IDLE) {
      database.close();
      return;
    }
    const drop = () => take(key)?.close();
    idle.set(key, { database, timer: setTimeout(drop, idleMs).unref() });
    database.client.unref();
  };

  /** The idle connection with a new session; null when there is none, or it was lost, as after a freeze. */
  const reuse = async (key: string, options: ConnectOptions): Promise<Database | null> => {
    const database = take(key);
    if (database === null) return null;
    try {
      await database.use(options, (client) => client.query('DISCARD ALL'));
      return database;
    } catch {
      database.close();
      options.signal.throwIfAborted();
      return null;
    }
  };

  return {
    use: async (server, options, work) => {
      const key = JSON.stringify(server);
      const database = (await reuse(key, options)) ?? (await openDatabase(server, options));
      try {
        return await work(database);
      } catch (error) {
        options.signal.throwIfAborted();
        throw toConnectionError(server, error);
      } finally {
        keep(key, database);
      }
    },
  };
};
