import { type FileValue, isFileValue } from '@hookloom/plugin-kit';
import type { OpenFiles } from '../../engine/session.ts';
import {
  FILE_CHANGED,
  FILE_INVALID,
  FILE_NOT_FOUND,
  FILE_TOO_LARGE,
  TOO_MANY_FILES,
} from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { FilesFor } from '../ports.ts';
import type { BlobStreams } from '../record/blob-store.ts';
import type { ExecutionIdentity, ExecutionStore } from '../record/execution-store.ts';
import { parseFileId, toFileId, toFileName, toMediaType } from './file-id.ts';

export interface FilePorts {
  readonly streams: BlobStreams;
  readonly executions: Pick<ExecutionStore, 'find'>;
  /** @returns a new SHA-256 */
  readonly createHash: () => ContentHash;
  readonly limits: {
    readonly maxFileBytes: number;
    /** How many files one process may save for one execution. */
    readonly maxFiles: number;
  };
}

/**
 * Creates the file service of one execution. A file's id follows from the node run and the order in which it saved its
 * files, so that a repeated step overwrites what an interrupted one saved. Ids are not secret, and may arrive with data
 * from outside. Therefore an id opens only files of this execution and of those it retries, for a trial those of its
 * caller's other trials, and only content with the hash that comes with the id.
 */
export const createExecutionFiles = (
  execution: Parameters<FilesFor>[0],
  { streams, executions, createHash, limits: { maxFileBytes, maxFiles } }: FilePorts,
): OpenFiles => {
  const { executionId, life = null, trialSuffix = null } = execution;
  const saved = new Set<string>();

  const findBlob = async (file: FileValue): Promise<string> => {
    const place = isFileValue(file) ? parseFileId(file.$file) : null;
    if (place === null) throw new AppError(FILE_INVALID, { reason: 'it is not a file that was saved' });
    const isOurs =
      place.executionId === executionId ||
      (trialSuffix === null
        ? await isRetryOf(execution, place.executionId, executions)
        : place.executionId.endsWith(trialSuffix));
    if (isOurs) return place.blobKey;
    throw new AppError(FILE_INVALID, { reason: 'it belongs to another execution' });
  };

  return (nodeKey, signal) => {
    let count = 0;
    return {
      save: async (source, about) => {
        count += 1;
        const id = toFileId({ executionId, nodeKey, number: count });
        const blobKey = parseFileId(id)?.blobKey;
        if (blobKey === undefined) throw new Error(`"${id}" is not the id of a file`);
        saved.add(id);
        if (saved.size > maxFiles) throw new AppError(TOO_MANY_FILES, { limit: maxFiles });
        const name = toFileName(about.name);
        const hash = createHash();
        const measured = measureContent(source, hash, signal, { name, limitBytes: maxFileBytes });
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
        if (content === null) throw new AppError(FILE_NOT_FOUND, { name: file.name });
        return verifyContent(content, file, createHash(), signal);
      },
    };
  };
};

/** How many retries of retries are followed. */
const MAX_RETRIES = 100;

/**
 * Whether an execution retries another one, directly or through other retries, so that its checkpoints may name the
 * other's files. The search ends at a retry whose record has expired.
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

/** A SHA-256 hash that is updated incrementally. */
interface ContentHash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/**
 * Measures content as it is read: it throws AppError `FILE_TOO_LARGE` beyond the limit, or the signal's reason once it is
 * aborted. `failure` is what it threw, null if it did not throw.
 * @param name - of the file, for errors
 */
const measureContent = (
  source: AsyncIterable<Uint8Array>,
  hash: ContentHash,
  signal: AbortSignal,
  { name, limitBytes }: { readonly name: string; readonly limitBytes: number },
) => {
  let size = 0;
  let failure: { readonly error: unknown } | null = null;
  const measure = async function* () {
    try {
      for await (const chunk of source) {
        signal.throwIfAborted();
        if (!(chunk instanceof Uint8Array)) throw new TypeError(`the content of "${name}" must be bytes`);
        size += chunk.byteLength;
        if (size > limitBytes) throw new AppError(FILE_TOO_LARGE, { name, limitBytes });
        hash.update(chunk);
        yield chunk;
      }
      signal.throwIfAborted();
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return { content: measure(), size: () => size, failure: (): typeof failure => failure };
};

/**
 * Checks content against its file value as it is read. The last chunk is held back until everything is checked, so that
 * a receiver never gets the whole of content that does not match. Reading throws AppError `FILE_CHANGED` if size or
 * hash differ, or the signal's reason once it is aborted.
 */
const verifyContent = async function* (
  content: AsyncIterable<Uint8Array>,
  { name, size, sha256 }: FileValue,
  hash: ContentHash,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const changed = () => new AppError(FILE_CHANGED, { name });
  let held: Uint8Array | null = null;
  let bytes = 0;
  for await (const chunk of content) {
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    if (bytes > size) throw changed();
    hash.update(chunk);
    if (held !== null) yield held;
    held = chunk;
  }
  if (bytes !== size || hash.digest('hex') !== sha256) throw changed();
  if (held !== null) yield held;
};
