import { createAwsCaller } from '../../lib/adapters/aws/aws-caller.ts';
import { createFolderBlobStreams } from '../../lib/adapters/blobs/folder-blobs.ts';
import { createS3BlobStreams } from '../../lib/adapters/blobs/s3-blob-streams.ts';
import type { BlobStreams } from '../../lib/executions/record/blob-store.ts';

/** @param place - a folder, or the origin of an S3 server */
export const openStreams = (place: string): BlobStreams => {
  if (!place.startsWith('http')) return createFolderBlobStreams(place);
  const readCredentials = () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-key' });
  return createS3BlobStreams(
    createAwsCaller({ service: 's3', region: 'eu-west-1', endpoint: place, readCredentials }),
  );
};
