import type { Socket } from 'node:net';
import { NodeError, type TcpClient } from '@hookloom/plugin-kit';
import Client from 'pg/lib/client.js';
import type { PostgresServer } from './postgres-server.ts';
import { toConnectionError } from './sql-error.ts';

export interface ConnectOptions {
  readonly tcp: TcpClient;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Received bytes of one use, beside those of the rows' own structure. */
  readonly maxResponseBytes: number;
}

/** A connection to a database, for one use at a time. */
export interface Database {
  readonly client: Client;
  /** Uses it; it is broken when the signal aborts, or when it receives more bytes than allowed. */
  use<Result>(
    options: Pick<ConnectOptions, 'signal' | 'maxResponseBytes'>,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result>;
  /** Whether it is open and outside of a transaction. */
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
  client.on('error', () => {}); // the query in work fails with it; without one, nothing is lost
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

/** The library connects the socket that it is given: this one is connected already, to an address that was checked. */
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
  /** Counted here, since the library would collect a message of any length. */
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
      client.end().catch(() => {}); // a terminate message, where the connection still takes one
      if (client.getTransactionStatus() === 'I') setTimeout(destroy, CLOSE_MS).unref();
      else destroy();
    },
  };
};

/** How long a server may take to close its side. */
const CLOSE_MS = 1_000;

/** For notices, descriptions of columns and the ends of transactions. */
const OVERHEAD_BYTES = 65_536;

const toTooLarge = (limit: number): NodeError =>
  new NodeError(
    `the answer has more bytes than maxResponseBytes allows (${limit - OVERHEAD_BYTES}): select less, or raise it`,
    { name: 'AnswerTooLarge', isRetryable: false },
  );
