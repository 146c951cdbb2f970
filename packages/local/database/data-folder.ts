import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from 'lambda-stage/database';
import { listen } from 'lambda-stage/net';

interface DataFolder {
  /** Folder of the tables; undefined to keep them in memory. */
  readonly tables: string | undefined;
  readonly blobs: string;
  /** Folder for the secrets of outbound credentials. */
  readonly secrets: string;
  /** File for schedules, rules and queues; undefined to keep them in memory. */
  readonly sources: string | undefined;
  /** Unlocks the folder for other services; removes it when it is temporary. */
  release(): void;
}

/**
 * Opens and locks a data folder.
 * @param folder - absent for tables in memory and a temporary folder for blobs and secrets
 * @throws StartError when the folder cannot be made, or another process has it
 */
export const openDataFolder = async (folder: string | undefined): Promise<DataFolder> => {
  if (folder === undefined) {
    const temporary = mkdtempSync(join(tmpdir(), 'hookloom-'));
    return {
      tables: undefined,
      sources: undefined,
      ...foldersIn(temporary),
      release: () => rmSync(temporary, { recursive: true, force: true }),
    };
  }
  const path = resolve(folder);
  const tables = join(path, 'tables');
  const others = foldersIn(path);
  try {
    mkdirSync(path, { recursive: true, mode: PRIVATE });
    for (const own of [tables, ...Object.values(others)]) {
      mkdirSync(own, { recursive: true });
      chmodSync(own, PRIVATE); // it may be of an earlier release
    }
  } catch (cause) {
    throw new StartError(`${path} can't be used as a data folder: ${(cause as Error).message}`, { cause });
  }
  return {
    tables,
    sources: join(path, 'sources.json'),
    ...others,
    release: await lockFolder(realpathSync(path)), // there may be several ways to it
  };
};

/** Of folders with data of callers and workflows: for the user alone. */
const PRIVATE = 0o700;

const foldersIn = (path: string) => ({ blobs: join(path, 'blobs'), secrets: join(path, 'secrets') });

const GREETING_TIMEOUT_MS = 1_000;

/**
 * Locks a folder for this process. The owner of a folder listens on a port that the folder names; unlike a process id,
 * a port is closed with its process. LevelDB's own lock would fail the start without an explanation.
 */
const lockFolder = async (path: string): Promise<() => void> => {
  const file = join(path, 'service.port');
  const owner = await findOwner(readPort(file), path);
  if (owner !== null) {
    throw new StartError(
      `The data folder ${path} is in use by process ${owner}. Stop that process, or choose another folder.`,
    );
  }
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the other process has closed the connection
    socket.end(`${process.pid} ${path}`);
  });
  writeFileSync(file, String(await listen(server)));
  server.unref();
  return () => {
    server.close();
    rmSync(file, { force: true });
  };
};

const readPort = (file: string): number => {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return 0;
  }
};

/** The id of the process that owns the folder; null when nothing, or something unrelated, listens on the port. */
const findOwner = async (port: number, path: string): Promise<string | null> => {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(GREETING_TIMEOUT_MS, () => socket.destroy());
  let greeting = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    greeting += chunk;
    if (greeting.length > path.length + 20) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
  const [, pid, owned] = /^(\d+) (.*)$/s.exec(greeting) ?? [];
  return pid !== undefined && owned === path ? pid : null;
};
