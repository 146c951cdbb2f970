import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateSecret } from '../../lib/credentials/hash-secret.ts';

const folder = new URL('../../.hookloom/', import.meta.url);
const serviceFile = new URL('local.json', folder);
const apiKeyFile = new URL('orders-api-key', folder);

/** Where the running local service can be reached; what the command line looks for. */
export interface LocalServiceInfo {
  readonly pid: number;
  readonly baseUrl: string;
  readonly dynamodbEndpoint: string;
  /** The Lambda API of the local engine. */
  readonly engineEndpoint: string;
  readonly blobFolder: string;
  readonly tablePrefix: string;
}

export const writeServiceInfo = (info: LocalServiceInfo): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(serviceFile, `${JSON.stringify(info, null, 2)}\n`);
};

export const removeServiceInfo = (): void => rmSync(serviceFile, { force: true });

/** The local service that is up; null when there is none, or the one that wrote the file is gone. */
export const readServiceInfo = (): LocalServiceInfo | null => {
  try {
    const info: LocalServiceInfo = JSON.parse(readFileSync(serviceFile, 'utf8'));
    process.kill(info.pid, 0); // throws when there is no such process
    return info;
  } catch {
    return null;
  }
};

/** The API key of the `orders` sample: made at the first start, the same from then on. */
export const ordersApiKey = (): string => {
  try {
    return readFileSync(apiKeyFile, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const key = generateSecret();
    mkdirSync(folder, { recursive: true });
    writeFileSync(apiKeyFile, `${key}\n`, { mode: 0o600 });
    return key;
  }
};

export const sampleWorkflowsFolder = fileURLToPath(new URL('../../workflows/', import.meta.url));
