import {
  CreateBucketCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  NotFound,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import type { AwsConfig } from '../../../resources/stored-data.ts';
import { CommandError } from '../../cli/command-error.ts';

/** Where code waits for CloudFormation. */
export interface AssetsBucket {
  readonly bucket: string;
  readonly region: string;
  /** Whose it must be: a bucket of this name may belong to another account, whose code would then be deployed. */
  readonly account: string;
}

const UPLOADS_AT_ONCE = 4;

/**
 * Stores files in the bucket, which it creates if it is missing: private, encrypted by S3 itself, refusing requests without TLS.
 * What is there already is not sent again, since keys contain a hash of the content.
 *
 * @param files - by their keys
 * @returns how many were sent
 */
export const uploadAssets = async (
  { bucket, region, account }: AssetsBucket,
  files: ReadonlyMap<string, string | Uint8Array>,
  config: AwsConfig,
): Promise<number> => {
  const s3 = new S3Client(config);
  const owned = { Bucket: bucket, ExpectedBucketOwner: account };
  try {
    const look = () => s3.send(new HeadBucketCommand(owned)).catch((error) => explainBucket(error, bucket));
    if (!(await isThere(look))) await createBucket(s3, owned, region);
    const limit = pLimit(UPLOADS_AT_ONCE);
    const sent = await Promise.all(
      [...files].map(([Key, Body]) =>
        limit(async () => {
          if (await isThere(() => s3.send(new HeadObjectCommand({ ...owned, Key })))) return 0;
          await s3.send(new PutObjectCommand({ ...owned, Key, Body }));
          return 1;
        }),
      ),
    );
    return sent.reduce<number>((sum, one) => sum + one, 0);
  } finally {
    s3.destroy();
  }
};

const isThere = async (look: () => Promise<unknown>): Promise<boolean> => {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
};

/** S3 gives no reason in answers to HEAD. */
const explainBucket = (error: unknown, bucket: string): never => {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403)
    throw new CommandError(
      `The bucket ${bucket} can't be used: it belongs to another account, or you lack s3:ListBucket on it. Name another in hookloom.json: "assetsBucket".`,
    );
  throw error;
};

const createBucket = async (
  s3: S3Client,
  owned: { readonly Bucket: string; readonly ExpectedBucketOwner: string },
  region: string,
): Promise<void> => {
  const { Bucket } = owned;
  await s3.send(
    new CreateBucketCommand({
      Bucket,
      // The first region has no name here. https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
      ...(region === 'us-east-1'
        ? {}
        : { CreateBucketConfiguration: { LocationConstraint: region as 'eu-central-1' } }),
    }),
  );
  const all = {
    BlockPublicAcls: true,
    IgnorePublicAcls: true,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: true,
  };
  await s3.send(new PutPublicAccessBlockCommand({ ...owned, PublicAccessBlockConfiguration: all }));
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
  const arn = `arn:${partition}:s3:::${Bucket}`;
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:*',
      Resource: [arn, `${arn}/*`],
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  });
  await s3.send(new PutBucketPolicyCommand({ ...owned, Policy }));
};
