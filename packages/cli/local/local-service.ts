import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { generateSecret } from '../../../lib/credentials/hash-secret.ts';
import { homeFolder } from './project-folder.ts';

const stateFolder = (): string => join(homeFolder(), '.hookloom');

/** The addresses of a running local service, kept in a file for the command line. */
export interface LocalServiceInfo {
  readonly pid: number;
  readonly baseUrl: string;
  readonly dynamodbEndpoint: string;
  /** The Lambda API of the local engine. */
  readonly engineEndpoint: string;
  readonly blobFolder: string;
  readonly uploadEndpoint: string;
  readonly secretsFolder: string;
  /** The APIs of the trigger sources. */
  readonly sourcesEndpoint: string;
  readonly tablePrefix: string;
}

/** The file of the first running service; further ones use `local-PORT.json`. */
const FIRST_FILE = 'local.json';

const portOf = ({ baseUrl }: LocalServiceInfo): string => new URL(baseUrl).port;

export interface Registration {
  /** A service that is already running and stays the command line's default; null when there is none. */
  readonly first: LocalServiceInfo | null;
  /** Removes the file if it still belongs to this service. */
  release(): void;
}

/** Registers a service for the command line of this folder; one that is already running stays the default. */
export const registerService = async (
  info: LocalServiceInfo,
  folder: string = stateFolder(),
): Promise<Registration> => {
  mkdirSync(folder, { recursive: true });
  const known = readInfo(join(folder, FIRST_FILE));
  const first = known !== null && known.pid !== info.pid && (await isUp(known)) ? known : null;
  const file = join(folder, first === null ? FIRST_FILE : `local-${portOf(info)}.json`);
  writeFileSync(file, `${JSON.stringify(info, null, 2)}\n`);
  return {
    first,
    release: () => {
      if (readInfo(file)?.pid === info.pid) rmSync(file, { force: true });
    },
  };
};

/** Process ids are reused, especially in containers: a service is running if its store listens. */
const isUp = (info: LocalServiceInfo): Promise<boolean> =>
  new Promise((resolve) => {
    if (!isAlive(info)) return resolve(false);
    const { hostname, port } = new URL(info.dynamodbEndpoint);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const isAlive = ({ pid }: LocalServiceInfo): boolean => {
  try {
    process.kill(pid, 0); // throws when there is no such process
    return true;
  } catch {
    return false;
  }
};

const readInfo = (file: string): LocalServiceInfo | null => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

/**
 * Finds the local service that is the command line's target.
 *
 * @param port - of one service; if absent or empty, the first one
 * @returns null when no such service is running
 */
export const readServiceInfo = (
  port: string | undefined = process.env.HOOKLOOM_PORT,
  folder: string = stateFolder(),
): LocalServiceInfo | null => {
  const services = listFiles(folder)
    .map((name) => readInfo(join(folder, name)))
    .filter((info) => info !== null && isAlive(info));
  if (port === undefined || port === '') return services[0] ?? null;
  return services.find((info) => info !== null && portOf(info) === port) ?? null;
};

/** The names of the service files, the first service's first. */
const listFiles = (folder: string): readonly string[] => {
  try {
    const beside = readdirSync(folder).filter((name) => /^local-\d+\.json$/.test(name));
    return [FIRST_FILE, ...beside.sort()];
  } catch {
    return [];
  }
};

/** The API key of the `orders` sample, generated at the first start, then reused. */
export const ordersApiKey = (): string => {
  const file = join(stateFolder(), 'orders-api-key');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const key = generateSecret();
    mkdirSync(stateFolder(), { recursive: true });
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
};
