import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from './start-error.ts';

/** Where the local service keeps tables and blobs. */
export interface DataFolder {
  /** Undefined: in memory. */
  readonly tables: string | undefined;
  readonly blobs: string;
  /** Another service may have it from now on; what is not to be kept is removed. */
  release(): void;
}

/**
 * The folder of the user's, for one service at a time; without one: memory, and a folder that goes with the process.
 * @throws {StartError}
 */
export const openDataFolder = async (folder: string | undefined): Promise<DataFolder> => {
  if (folder === undefined) {
    const blobs = mkdtempSync(join(tmpdir(), 'hookloom-'));
    return { tables: undefined, blobs, release: () => rmSync(blobs, { recursive: true, force: true }) };
  }
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw new StartError(`${path} can't be used as a data folder: ${(cause as Error).message}`, { cause });
  }
  return { tables: join(path, 'tables'), blobs: join(path, 'blobs'), release: await claim(path) };
};

/** How long the owner has to say that it is. It is on this machine. */
const GREETING_MS = 1_000;

/**
 * The tables are one process's: a second one would find them locked, and end with nothing that explains it. The owner
 * listens at a port that the folder names. A process that was killed listens no more, whatever becomes of its id.
 */
const claim = async (path: string): Promise<() => void> => {
  const file = join(path, 'service.port');
  const owner = await findOwner(readPort(file), path);
  if (owner !== null) {
    throw new StartError(
      `The data folder ${path} is in use by process ${owner}. End that one, or choose another folder.`,
    );
  }
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the asking process has gone
    socket.end(`${process.pid} ${path}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref(); // it must not keep a process alive that is otherwise done
  writeFileSync(file, String((server.address() as AddressInfo).port));
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

/** The id of the process that claims the folder at that port; null without one: the port may be another's by now. */
const findOwner = async (port: number, path: string): Promise<string | null> => {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(GREETING_MS, () => socket.destroy());
  let greeting = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    greeting += chunk;
    if (greeting.length > path.length + 20) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
  const [, pid, claimed] = /^(\d+) (.*)$/s.exec(greeting) ?? [];
  return pid !== undefined && claimed === path ? pid : null;
};
