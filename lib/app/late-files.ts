import { createHash } from 'node:crypto';
import { createAwsCaller } from '../adapters/aws/aws-caller.ts';
import type { OpenFiles } from '../engine/session.ts';
import type { BlobStreams } from '../executions/files/blob-streams.ts';
import type { FileParts, FilesFor } from '../executions/files/execution-files.ts';
import type { Config } from './config.ts';

/** Files that load their code on first use: few runs have any. */
export const lateFiles = (config: Config, executions: FileParts['executions']): FilesFor => {
  const loadFilesFor = once(() => load(config, executions));
  return (execution) => {
    const openFiles = once<OpenFiles>(async () => (await loadFilesFor())(execution));
    return (nodeKey, signal) => {
      const open = once(async () => (await openFiles())(nodeKey, signal));
      return {
        save: async (content, about) => (await open()).save(content, about),
        open: async (file) => (await open()).open(file),
      };
    };
  };
};

const once = <Value>(create: () => Promise<Value>): (() => Promise<Value>) => {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= create();
    return value;
  };
};

const load = async (config: Config, executions: FileParts['executions']): Promise<FilesFor> => {
  const [{ createExecutionFiles }, streams] = await Promise.all([
    import('../executions/files/execution-files.ts'),
    openStreams(config),
  ]);
  const { maxFileBytes, maxFiles } = config;
  return (execution) =>
    createExecutionFiles(execution, {
      streams,
      executions,
      createHash: () => createHash('sha256'),
      limits: { maxFileBytes, maxFiles },
    });
};

/** A request moves a part of 8 MB. */
const PART_TIMEOUTS = { connectMs: 5_000, exchangeMs: 60_000 };

const openStreams = async ({ region, blobBucket, blobFolder }: Config): Promise<BlobStreams> => {
  if (blobFolder !== null) {
    const { createFolderBlobStreams } = await import('../adapters/blobs/folder-blob-streams.ts');
    return createFolderBlobStreams(blobFolder);
  }
  const { createS3BlobStreams } = await import('../adapters/blobs/s3-blob-streams.ts');
  const bucket = { service: 's3', region, endpoint: null, bucket: blobBucket ?? '' };
  return createS3BlobStreams(createAwsCaller({ ...bucket, timeouts: PART_TIMEOUTS }));
};
