import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type AwsAnswer, type AwsRequest, askAws, type CallAws } from '../aws/aws-caller.ts';

/**
 * Sends a request to S3, through a caller that is bound to the host of the bucket.
 * @param expected - statuses that count as an answer in addition to successful ones
 * @throws AppError `STORE_UNAVAILABLE` for any other status, or if there is no answer
 */
export type AskS3 = (request: AwsRequest, expected?: readonly number[]) => Promise<AwsAnswer>;

export const createAskS3 =
  (call: CallAws): AskS3 =>
  (request, expected = []) =>
    askAws(
      call,
      request,
      (cause) => new AppError(STORE_UNAVAILABLE, {}, cause),
      ({ status }) => expected.includes(status),
    );
