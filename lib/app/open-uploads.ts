import { awsEndpoint, createAwsCaller } from '../adapters/aws/aws-caller.ts';
import { createFolderUploadStore } from '../adapters/blobs/folder-upload-store.ts';
import { createS3UploadStore } from '../adapters/blobs/s3-upload-store.ts';
import { createSignPut } from '../adapters/blobs/sign-put.ts';
import type { UploadStore } from '../executions/files/upload-store.ts';
import type { Config } from './config.ts';

/** S3's size limit for an object uploaded in one request. */
const MAX_PUT_BYTES = 5 * 1024 ** 3;

export type UploadConfig = Pick<
  Config,
  'region' | 'blobBucket' | 'blobFolder' | 'uploadEndpoint' | 'maxFileBytes'
>;

/** The uploads of a sandbox. */
export const openUploads = ({
  region,
  blobBucket,
  blobFolder,
  uploadEndpoint,
  maxFileBytes,
}: UploadConfig): UploadStore => {
  const bucket = blobBucket ?? '';
  const parts = {
    maxBytes: Math.min(maxFileBytes, MAX_PUT_BYTES),
    sign: createSignPut({ region, origin: uploadEndpoint ?? awsEndpoint('s3', region, bucket) }),
  };
  if (blobFolder !== null) return createFolderUploadStore(blobFolder, parts);
  return createS3UploadStore(createAwsCaller({ service: 's3', region, endpoint: null, bucket }), parts);
};
