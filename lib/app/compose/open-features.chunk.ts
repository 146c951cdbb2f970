import { awsEndpoint, createAwsCaller } from '../../adapters/aws/aws-caller.ts';
import { createLambdaDurableService } from '../../adapters/aws/lambda-durable-service.ts';
import { createFolderUploadStore } from '../../adapters/blobs/folder-blobs.ts';
import { createSignPut } from '../../adapters/blobs/presign.ts';
import { createS3UploadStore } from '../../adapters/blobs/s3-blob-store.ts';
import { createHeldQueues } from '../../adapters/dynamodb/held/held-queues.ts';
import { createSlotStore } from '../../adapters/dynamodb/limits/slot-store.ts';
import { createTokenBuckets } from '../../adapters/dynamodb/limits/token-buckets.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import type { UploadStore } from '../../executions/files/upload-store.ts';
import { type CancelPorts, cancelExecution } from '../../executions/lifecycle/cancel-execution.ts';
import { createOpenFeatures } from '../../webhooks/features/open-features.ts';
import { rememberBuckets } from '../../webhooks/limits/token-bucket.ts';
import type { FeaturePorts, OpenFeatures } from '../../webhooks/webhook-feature.ts';
import type { Config } from '../config.ts';

/** The parts of the feature ports; stores that only features use are opened here. */
interface FeatureParts
  extends Omit<
      FeaturePorts,
      'takeToken' | 'slots' | 'queues' | 'openUploads' | 'executions' | 'cancelExecution'
    >,
    Omit<CancelPorts, 'durableService' | 'clock'>,
    StageTables {
  readonly config: Pick<Config, 'region' | 'lambdaEndpoint' | 'retentionDays'> & UploadConfig;
}

const MAX_BUCKETS = 10_000;

export const openFeaturesWith = ({ config, client, tables, ...parts }: FeatureParts): OpenFeatures => {
  const { region, lambdaEndpoint: endpoint } = config;
  const durableService = createLambdaDurableService(createAwsCaller({ service: 'lambda', region, endpoint }));
  let uploads: UploadStore | undefined;
  return createOpenFeatures({
    ...parts,
    takeToken: rememberBuckets(createTokenBuckets(client, tables), MAX_BUCKETS),
    slots: createSlotStore(client, tables),
    openUploads: () => {
      uploads ??= openUploads(config);
      return uploads;
    },
    queues: createHeldQueues(client, tables, config),
    cancelExecution: (executionId) => cancelExecution(executionId, { ...parts, durableService }),
  });
};

/** S3's size limit for an object uploaded in one request. */
const MAX_PUT_BYTES = 5 * 1024 ** 3;

type UploadConfig = Pick<Config, 'region' | 'blobBucket' | 'blobFolder' | 'uploadEndpoint' | 'maxFileBytes'>;

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
