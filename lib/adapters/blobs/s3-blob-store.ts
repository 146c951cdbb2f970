import type { BlobStore } from '../../executions/record/blob-store.ts';
import { AppError } from '../../shared/errors.ts';
import type { AwsAnswer, AwsRequest, CallAws } from '../aws/aws-caller.ts';
import { isSuccess, toCause } from '../aws/aws-error.ts';

/**
 * Blobs as objects in a bucket. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 * @param call - bound to the host of the bucket
 */
export const createS3BlobStore = (call: CallAws): BlobStore => {
  const ask = async (request: AwsRequest): Promise<AwsAnswer> => {
    const answer = await call(request).catch((cause: unknown) => {
      throw new AppError('STORE_UNAVAILABLE', {}, cause);
    });
    if (isSuccess(answer) || answer.status === 404) return answer;
    throw new AppError('STORE_UNAVAILABLE', {}, toCause(answer));
  };
  return {
    put: async (key, bytes) => {
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await ask({ method: 'PUT', path: `/${key}`, headers, body: bytes });
      if (answer.status === 404) throw new AppError('STORE_UNAVAILABLE', {}, toCause(answer)); // no such bucket
    },
    get: async (key) => {
      const { status, body } = await ask({ method: 'GET', path: `/${key}` });
      return status === 404 ? null : body;
    },
  };
};
