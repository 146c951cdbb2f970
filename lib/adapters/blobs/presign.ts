import aws4 from 'aws4';
import type { AwsCredentials } from '../aws/aws-caller.ts';

interface PresignedRequest {
  readonly method: string;
  /** Origin of the bucket, without a slash at the end. */
  readonly origin: string;
  readonly region: string;
  readonly key: string;
  /** Headers that must be sent with the request exactly like this, since each is signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly seconds: number;
}

/**
 * Signs a request to S3, which any holder of the URL can make until the time is up or the credentials that signed it
 * expire. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 * @returns the URL
 */
export const presign = (
  { method, origin, region, key, headers, from, seconds }: PresignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
): string => {
  const date = new Date(from).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const { path = '' } = aws4.sign(
    {
      service: 's3',
      region,
      host: new URL(origin).host,
      method,
      path: `/${key}?X-Amz-Date=${date}&X-Amz-Expires=${seconds}`,
      headers,
      signQuery: true,
    },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  return `${origin}${path}`;
};
