import { promises as files } from 'node:fs';
import { join } from 'node:path';
import { isId } from '@hookloom/plugin-kit/host';
import type { SecretStore } from '../../credentials/outbound/secret-store.ts';
import { SECRETS_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { nullIfMissing, replaceFile } from '../blobs/folder-blobs.ts';

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
        files.readFile(pathOf(reference.slice(PREFIX.length)), 'utf8').catch(nullIfMissing),
      );
    },
    put: async (name, value) => {
      const write = (temporary: string) => files.writeFile(temporary, value, { mode: 0o600 });
      await orUnavailable(replaceFile(pathOf(name), write, 0o700));
      return referenceOf(name);
    },
    remove: async (reference) => {
      if (reference.startsWith(PREFIX))
        await orUnavailable(files.rm(pathOf(reference.slice(PREFIX.length)), { force: true }));
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
