import { type FileValue, isFileValue, serviceError } from '@hookloom/plugin-kit';
import type { OpenFiles } from '../../engine/session.ts';
import type { LifeDays } from '../record/blob-store.ts';
import type { ExecutionIdentity, ExecutionStore } from '../record/execution-store.ts';
import type { BlobStreams } from './blob-streams.ts';
import { parseFileId, toFileId, toFileName, toMediaType } from './file-id.ts';
import { type ContentHash, measureContent, verifyContent } from './measure-content.ts';

interface FileLimits {
  readonly maxFileBytes: number;
  /** That one process saves for one execution. */
  readonly maxFiles: number;
}

export interface FileParts {
  readonly streams: BlobStreams;
  readonly executions: Pick<ExecutionStore, 'find'>;
  /** @returns a new SHA-256 */
  readonly createHash: () => ContentHash;
  readonly limits: FileLimits;
}

/** Makes the files of one execution. */
export type FilesFor = (
  execution: Pick<ExecutionIdentity, 'executionId' | 'retryOf'> & {
    /** For how long those are kept that it saves; until its end is known, by default. */
    readonly life?: LifeDays;
  },
) => OpenFiles;

/**
 * Makes the files of one execution. The id of a file follows from the node run and the order of its files, so that a
 * repeated step overwrites what an interrupted one saved. It is not a secret, and may come with data from outside: so it
 * opens files of this execution, and of those that it retries, alone, and only content of the hash that comes with it.
 */
export const createExecutionFiles = (
  execution: Parameters<FilesFor>[0],
  { streams, executions, createHash, limits: { maxFileBytes, maxFiles } }: FileParts,
): OpenFiles => {
  const { executionId, life = null } = execution;
  const saved = new Set<string>();

  const findBlob = async (file: FileValue): Promise<string> => {
    const place = isFileValue(file) ? parseFileId(file.$file) : null;
    if (place === null) throw serviceError('FILE_INVALID', { reason: 'it is not the value of a saved file' });
    const isOurs =
      place.executionId === executionId || (await isRetryOf(execution, place.executionId, executions));
    if (isOurs) return place.blobKey;
    throw serviceError('FILE_INVALID', { reason: 'it belongs to another one' });
  };

  return (nodeKey, signal) => {
    let count = 0;
    return {
      save: async (source, about) => {
        count += 1;
        const id = toFileId({ executionId, nodeKey, number: count });
        const blobKey = parseFileId(id)?.blobKey;
        if (blobKey === undefined) throw new Error(`"${id}" is no id of a file`);
        saved.add(id);
        if (saved.size > maxFiles) throw serviceError('TOO_MANY_FILES', { limit: maxFiles });
        const name = toFileName(about.name);
        const hash = createHash();
        const measured = measureContent(source, { hash, signal, name, limitBytes: maxFileBytes });
        try {
          await streams.putStream(blobKey, measured.content, life);
        } catch (error) {
          throw measured.failure()?.error ?? error;
        }
        const mediaType = toMediaType(about.mediaType);
        return { $file: id, name, mediaType, size: measured.size(), sha256: hash.digest('hex') };
      },
      open: async (file) => {
        const blobKey = await findBlob(file);
        const content = await streams.getStream(blobKey);
        if (content === null) throw serviceError('FILE_NOT_FOUND', { name: file.name });
        return verifyContent(content, file, createHash(), signal);
      },
    };
  };
};

/** Retries of retries are followed this far. */
const MAX_RETRIES = 100;

/**
 * Whether an execution retries another one, or a retry of it: its checkpoints hold files of that one. A retry whose record
 * has expired ends the search.
 *
 * @throws AppError `STORE_UNAVAILABLE`
 */
const isRetryOf = async (
  execution: Pick<ExecutionIdentity, 'retryOf'>,
  executionId: string,
  executions: Pick<ExecutionStore, 'find'>,
): Promise<boolean> => {
  let { retryOf } = execution;
  for (let retries = 0; retryOf !== null && retries < MAX_RETRIES; retries += 1) {
    if (retryOf.executionId === executionId) return true;
    retryOf = (await executions.find(retryOf.executionId))?.retryOf ?? null;
  }
  return false;
};
