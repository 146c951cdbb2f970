import type { Socket } from 'node:net';
import { NodeError, type TcpClient } from '@hookloom/plugin-kit';
import Client from 'pg/lib/client.js';
import { toConnectionError } from './sql-error.ts';

export interface ConnectOptions {
  readonly tcp: TcpClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Maximum bytes received in one use, in addition to those of the protocol. */
  readonly maxResponseBytes: number;
}

/** A connection to a database, for one use at a time. */
interface Database {
  readonly client: Client;
  /** Uses the connection. It is broken if the signal aborts, or it receives more bytes than allowed. */
  use<Result>(
    options: Pick<ConnectOptions, 'signal' | 'maxResponseBytes'>,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result>;
  /** Whether the connection is open and not in a transaction. */
  isIdle(): boolean;
  close(): void;
}

/** @throws AppError `OUTBOUND_*` or `CREDENTIAL_REJECTED`, NodeError, or the reason of the aborted signal */
export const openDatabase = async (server: PostgresServer, options: ConnectOptions): Promise<Database> => {
  const { host, port, sslmode } = server;
  const { tcp, timeoutMs, signal } = options;
  const socket = await tcp.connect({ host, port, timeoutMs, signal });
  const client = new Client({
    host,
    port,
    user: server.username,
    password: server.password,
    database: server.database,
    application_name: 'hookloom',
    ssl: toTlsOptions(server),
    stream: () => asUnconnected(socket),
  });
  client.on('error', () => {}); // a query in progress fails with it; without one, nothing is lost
  const database = createDatabase(client, socket, sslmode === 'disable');
  try {
    await database.use(options, () => client.connect());
  } catch (error) {
    database.close();
    throw signal.aborted ? signal.reason : toConnectionError(server, error);
  }
  return database;
};

const toTlsOptions = ({ sslmode, ca }: PostgresServer) => {
  if (sslmode === 'disable') return false;
  const options = { minVersion: 'TLSv1.2' as const, ...(ca === '' ? {} : { ca }) };
  return sslmode === 'require' ? { ...options, rejectUnauthorized: false } : options;
};

/** The library connects the socket that it is given. This one is already connected, to an address that was checked. */
const asUnconnected = (socket: Socket): Socket => {
  socket.connect = () => {
    setImmediate(() => socket.emit('connect'));
    return socket;
  };
  return socket;
};

const createDatabase = (client: Client, socket: Socket, isPlain: boolean): Database => {
  const { connection } = client;
  let received = 0;
  let limit = Number.POSITIVE_INFINITY;
  const destroy = (error?: Error): void => {
    connection.stream.destroy(error);
    socket.destroy();
  };
  /** Counts the received bytes here, since the library would collect a message of any length. */
  const count = (chunk: Uint8Array): void => {
    received += chunk.byteLength;
    if (received > limit) destroy(toTooLarge(limit));
  };
  if (isPlain) socket.on('data', count);
  else connection.on('sslconnect', () => connection.stream.on('data', count));
  return {
    client,
    use: async ({ signal, maxResponseBytes }, work) => {
      signal.throwIfAborted();
      received = 0;
      limit = maxResponseBytes + OVERHEAD_BYTES;
      const onAbort = () => destroy();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await work(client);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    isIdle: () => !connection.stream.destroyed && client.getTransactionStatus() === 'I',
    close: () => {
      client.end().catch(() => {}); // a terminate message, if the connection still takes one
      if (client.getTransactionStatus() === 'I') setTimeout(destroy, CLOSE_MS).unref();
      else destroy();
    },
  };
};

/** How long a server may take to close its side of the connection. */
const CLOSE_MS = 1_000;

/** Bytes allowed for notices, column descriptions and transaction messages. */
const OVERHEAD_BYTES = 65_536;

const toTooLarge = (limit: number): NodeError =>
  new NodeError(
    `the answer is larger than maxResponseBytes (${limit - OVERHEAD_BYTES}): select less, or raise it`,
    { name: 'AnswerTooLarge', isRetryable: false },
  );

/** A PostgreSQL database and its login, from a credential of the type `postgres`. */
type PostgresServer = ReturnType<typeof readPostgresServer>;

/** @param field - returns a field of the credential; empty if it is not set */
export const readPostgresServer = (field: (name: string) => string) => {
  const sslmode = field('sslmode');
  return {
    host: field('host'),
    port: Number(field('port') || 5432),
    database: field('database'),
    username: field('username'),
    password: field('password'),
    sslmode: sslmode === 'disable' || sslmode === 'require' ? sslmode : ('verify-full' as const),
    /** Certificates of authorities in PEM; empty for those that Node trusts. */
    ca: field('ca'),
  };
};

/** Shorter than the idle timeouts of servers and of NAT gateways. */
const IDLE_MS = 30_000;

/** How many servers have an idle connection, since few credentials are in use. */
const MAX_IDLE = 20;

interface IdleDatabase {
  readonly database: Database;
  readonly timer: NodeJS.Timeout;
}

/**
 * The connections of a sandbox, which are reused between runs: one for each login, closed after being idle for a while.
 */
export interface Databases {
  /**
   * Runs `work` over a connection: the idle one of this login, or else a new one.
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

  /** The idle connection with a new session; null if there is none, or it was lost, as after a freeze. */
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
