import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '@hookloom/plugin-kit/host';
import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import { SECRETS_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';

const PREFIX = 'file:';

/** Keeps secrets in files that only their owner can read, for the local service. */
export const createFolderSecretStore = (folder: string): SecretStore => {
  const pathOf = (name: string): string => {
    if (!isId(name)) throw new Error(`"${name}" is not the id of a credential`);
    return join(folder, name);
  };
  const referenceOf = (name: string): string => `${PREFIX}${name}`;
  return {
    referenceOf,
    get: (reference) => {
      if (!reference.startsWith(PREFIX)) return Promise.resolve(null); // for a stage in AWS
      return orUnavailable(
        readFile(pathOf(reference.slice(PREFIX.length)), 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null;
          throw error;
        }),
      );
    },
    put: async (name, value) => {
      const path = pathOf(name);
      // Written to a temporary file, then renamed: readers and crashes never see half a secret.
      const temporary = `${path}.${randomUUID()}.tmp`;
      await orUnavailable(mkdir(folder, { recursive: true, mode: 0o700 }));
      await orUnavailable(writeFile(temporary, value, { mode: 0o600 }));
      await orUnavailable(rename(temporary, path));
      return referenceOf(name);
    },
    remove: async (reference) => {
      if (reference.startsWith(PREFIX))
        await orUnavailable(rm(pathOf(reference.slice(PREFIX.length)), { force: true }));
    },
  };
};

const orUnavailable = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (cause) {
    throw new AppError(SECRETS_UNAVAILABLE, {}, cause);
  }
};
