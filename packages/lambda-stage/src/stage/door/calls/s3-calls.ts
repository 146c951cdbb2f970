import * as client from '@aws-sdk/client-s3';
import {
  type ApiRequest,
  type Arns,
  type Call,
  type Destination,
  type Permission,
  UnknownCall,
} from './call.ts';
import { createFindOperation, readSdkRoutes } from './rest-routes.ts';

/** Operations that share another one's route and differ in more than the query. */
const AMBIGUOUS = /^(CopyObject|UploadPartCopy|ListBuckets|ListDirectoryBuckets|WriteGetObjectResponse)$/;

/**
 * The routes of S3. The SDK names the operation in `x-id`, other callers do not. Its model has `uploadId` and
 * `partNumber` among the parameters.
 */
const routes = Object.fromEntries(
  Object.entries({
    ...readSdkRoutes(client),
    UploadPart: 'PUT /{Key+}?partNumber&uploadId',
    CompleteMultipartUpload: 'POST /{Key+}?uploadId',
    AbortMultipartUpload: 'DELETE /{Key+}?uploadId',
    ListParts: 'GET /{Key+}?uploadId',
  })
    .filter(([operation]) => !AMBIGUOUS.test(operation))
    .map(([operation, route]) => [operation, route.replace(/[?&]x-id=\w+/, '')]),
);

const findOperation = createFindOperation(routes);

/** Actions whose names differ from their operations. https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  CompleteMultipartUpload: ['PutObject'],
  CreateMultipartUpload: ['PutObject'],
  GetObjectAttributes: ['GetObject', 'GetObjectAttributes'],
  HeadBucket: ['ListBucket'],
  HeadObject: ['GetObject'],
  ListMultipartUploads: ['ListBucketMultipartUploads'],
  ListObjectVersions: ['ListBucketVersions'],
  ListObjects: ['ListBucket'],
  ListObjectsV2: ['ListBucket'],
  ListParts: ['ListMultipartUploadParts'],
  UploadPart: ['PutObject'],
  GetBucketLifecycleConfiguration: ['GetLifecycleConfiguration'],
  GetBucketEncryption: ['GetEncryptionConfiguration'],
  GetPublicAccessBlock: ['GetBucketPublicAccessBlock'],
};

/** Unsupported operations, which name their objects outside the path. */
const NOT_READ = /^(DeleteObjects|RenameObject|CreateSession|SelectObjectContent)$/;

/** Reads a request of S3's API, with the bucket in its host or in its path. */
export const readS3Call = (
  request: ApiRequest,
  { bucket: hostBucket }: Destination,
  { partition }: Arns,
): Call => {
  const { bucket, path } = splitBucket(request.path, hostBucket);
  if (bucket === '') {
    if (request.method !== 'GET')
      throw new UnknownCall(`${request.method} / without a bucket is not an operation of S3`);
    return {
      operation: 'ListBuckets',
      input: {},
      permissions: [{ action: 's3:ListAllMyBuckets', resource: '*' }],
    };
  }
  const { method, query, headers } = request;
  const found = findOperation(method, path, query);
  if (found === null) throw new UnknownCall(`${method} ${path}?${query} is not an operation of S3`);
  const { operation, parameters } = found;
  if (headers['x-amz-copy-source'] !== undefined)
    throw new UnknownCall('the permissions for a copy are unknown');
  if (NOT_READ.test(operation)) throw new UnknownCall(`the permissions for s3:${operation} are unknown`);
  const { Key } = parameters;
  const arn = `arn:${partition}:s3:::${bucket}`;
  const resource = Key === undefined ? arn : `${arn}/${Key}`;
  const prefix = query.get('prefix');
  const context = { ...(Key === undefined && prefix !== null ? { 's3:prefix': prefix } : {}) };
  const actions = Object.hasOwn(ACTIONS, operation) ? (ACTIONS[operation] ?? []) : [operation];
  const isTagged = headers['x-amz-tagging'] !== undefined && actions.includes('PutObject');
  return {
    operation,
    input: { Bucket: bucket, ...(Key === undefined ? {} : { Key }) },
    permissions: [...actions, ...(isTagged ? ['PutObjectTagging'] : [])].map(
      (action): Permission => ({ action: `s3:${action}`, resource, context }),
    ),
  };
};

export const splitBucket = (
  path: string,
  hostBucket: string | null,
): { readonly bucket: string; readonly path: string } => {
  if (hostBucket !== null) return { bucket: hostBucket, path };
  const [, bucket = '', ...rest] = path.split('/');
  return { bucket: decodeURIComponent(bucket), path: `/${rest.join('/')}` };
};
