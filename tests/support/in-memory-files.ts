import { createHash } from 'node:crypto';
import type { Files } from '@hookloom/plugin-kit';
import { createExecutionFiles, type FilePorts } from '../../lib/executions/files/execution-files.ts';
import type { FilesFor } from '../../lib/executions/ports.ts';
import type { BlobStreams } from '../../lib/executions/record/blob-store.ts';
import { inMemoryBlobs } from './in-memory-blobs.ts';

/** The files of executions, in these blobs. */
export const filesIn = (streams: BlobStreams, parts: Partial<FilePorts> = {}): FilesFor => {
  const all: FilePorts = {
    streams,
    executions: { find: async () => null },
    createHash: () => createHash('sha256'),
    limits: { maxFileBytes: 1_000_000, maxFiles: 100 },
    ...parts,
  };
  return (execution) => createExecutionFiles(execution, all);
};

/** The files of the first attempt at `node-1`. */
export const inMemoryFiles = (): Files =>
  filesIn(inMemoryBlobs())({ executionId: 'execution-1', retryOf: null })(
    'node-1/0',
    new AbortController().signal,
  );
