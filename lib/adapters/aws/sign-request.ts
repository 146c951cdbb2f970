import aws4, { type Request } from 'aws4';
import type { AwsCredentials } from './aws-caller.ts';

/**
 * Signs a request that was written elsewhere, or its URL (SigV4): with any path and headers, and a service and region that its
 * host may name. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export const signAws = (
  { body, ...request }: Omit<Request, 'body'> & { readonly body?: string | Uint8Array | undefined },
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
) => {
  const bytes =
    body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
  return aws4.sign(
    { ...request, ...(bytes === undefined ? {} : { body: bytes }) },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
};
