import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { AwsAnswer } from '../aws/aws-caller.ts';
import { toCause } from '../aws/aws-error.ts';
import type { AskS3 } from './ask-s3.ts';

export interface MultipartUpload {
  /** Uploads the next part: 5 MB or more, unless it is the last one. */
  add(part: Uint8Array): Promise<void>;
  /** Completes the upload, which makes the object visible. */
  complete(): Promise<void>;
  /** Deletes the parts. Never rejects: the bucket also deletes the parts of unfinished uploads. */
  abort(): Promise<void>;
}

/**
 * Starts a multipart upload. https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
 * @param path - path of the object
 * @param headers - headers of the object
 * @throws AppError `STORE_UNAVAILABLE`; so do all methods except `abort`
 */
export const startMultipartUpload = async (
  ask: AskS3,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<MultipartUpload> => {
  const started = await ask({ method: 'POST', path: `${path}?uploads=`, headers });
  const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(started.body.toString()) ?? [];
  if (uploadId === undefined) throw unexpected(started);
  const query = `uploadId=${encodeURIComponent(uploadId)}`;
  const etags: string[] = [];
  return {
    add: async (body) => {
      const headers = { 'content-type': 'application/octet-stream' };
      const partPath = `${path}?partNumber=${etags.length + 1}&${query}`;
      const answer = await ask({ method: 'PUT', path: partPath, headers, body });
      const { etag } = answer.headers;
      if (etag === undefined) throw unexpected(answer);
      etags.push(etag);
    },
    complete: async () => {
      const headers = { 'content-type': 'application/xml' };
      const answer = await ask({ method: 'POST', path: `${path}?${query}`, headers, body: toXml(etags) });
      // S3 answers 200 before it is done, and an error may follow in the body.
      if (!answer.body.includes('<CompleteMultipartUploadResult')) throw unexpected(answer);
    },
    abort: async () => {
      await ask({ method: 'DELETE', path: `${path}?${query}` }).catch(() => {});
    },
  };
};

const toXml = (etags: readonly string[]): string => {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
};

const unexpected = (answer: AwsAnswer): AppError => new AppError(STORE_UNAVAILABLE, {}, toCause(answer));
