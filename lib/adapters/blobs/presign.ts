import type { UploadObject, UploadStore } from '../../executions/files/upload-store.ts';
import { type AwsCredentials, readEnvironment } from '../aws/aws-caller.ts';
import { signAws } from '../aws/sign-request.ts';

interface PresignedRequest {
  readonly method: string;
  /** Origin of the bucket, without a slash at the end. */
  readonly origin: string;
  readonly region: string;
  readonly key: string;
  /** Headers that must be sent with the request exactly like this, since each is signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the URL is signed, in milliseconds since the epoch. */
  readonly from: number;
  readonly seconds: number;
}

/**
 * Signs a request to S3, which any holder of the URL can make until the time is up or the credentials that signed it
 * expire. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 * @returns the URL
 * @internal
 */
export const presign = (
  { method, origin, region, key, headers, from, seconds }: PresignedRequest,
  credentials: AwsCredentials,
): string => {
  const date = new Date(from).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const { path = '' } = signAws(
    {
      service: 's3',
      region,
      host: new URL(origin).host,
      method,
      path: `/${key}?X-Amz-Date=${date}&X-Amz-Expires=${seconds}`,
      headers,
      signQuery: true,
    },
    credentials,
  );
  return `${origin}${path}`;
};

interface BucketAddress {
  /** Origin of the bucket, without a slash at the end. */
  readonly origin: string;
  readonly region: string;
  /** Called for each signature. By default reads the environment's credentials. */
  readonly readCredentials?: () => AwsCredentials;
}

/** The lifecycle rule of the bucket removes objects with this tag. */
const PENDING = 'upload=pending';

/**
 * Signs requests that put one object.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/PresignedUrlUploadObject.html
 */
export const createSignPut =
  ({ readCredentials = readEnvironment, ...bucket }: BucketAddress): UploadStore['sign'] =>
  (object, time) => {
    const headers = toHeaders(object);
    const url = presign({ ...bucket, ...time, method: 'PUT', key: object.key, headers }, readCredentials());
    return { method: 'PUT', url, headers };
  };

/**
 * Headers for what S3 checks: size and type through the signature, the hash of the bytes, and that the object does not
 * exist yet. https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
 */
const toHeaders = ({ size, mediaType, sha256 }: UploadObject) => ({
  'content-length': String(size),
  'content-type': mediaType,
  'if-none-match': '*',
  'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  'x-amz-tagging': PENDING,
});
