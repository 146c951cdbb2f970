import { createHash } from 'node:crypto';
import { createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createFolderBlobStreams } from '../../adapters/blobs/folder-blobs.ts';
import { createS3BlobStreams } from '../../adapters/blobs/s3-blob-streams.ts';
import { createExecutionFiles, type FilePorts } from '../../executions/files/execution-files.ts';
import type { FilesFor } from '../../executions/ports.ts';
import type { BlobStreams } from '../../executions/record/blob-store.ts';
import type { Config } from '../config.ts';

export const openFiles = (config: Config, executions: FilePorts['executions']): FilesFor => {
  const streams = openStreams(config);
  const { maxFileBytes, maxFiles } = config;
  return (execution) =>
    createExecutionFiles(execution, {
      streams,
      executions,
      createHash: () => createHash('sha256'),
      limits: { maxFileBytes, maxFiles },
    });
};

/** Each request transfers a part of 8 MB. */
const PART_TIMEOUTS = { connectMs: 5_000, exchangeMs: 60_000 };

const openStreams = ({ region, blobBucket, blobFolder }: Config): BlobStreams => {
  if (blobFolder !== null) return createFolderBlobStreams(blobFolder);
  const bucket = { service: 's3', region, endpoint: null, bucket: blobBucket ?? '' };
  return createS3BlobStreams(createAwsCaller({ ...bucket, timeouts: PART_TIMEOUTS }));
};
