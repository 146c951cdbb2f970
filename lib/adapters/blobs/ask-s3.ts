import { STORE_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import type { AwsAnswer, AwsRequest, CallAws } from '../aws/aws-caller.ts';
import { isSuccess, toCause } from '../aws/aws-error.ts';

/**
 * Sends a request to S3.
 * @param expected - statuses that count as an answer in addition to successful ones
 * @throws AppError `STORE_UNAVAILABLE` for any other status, or if there is no answer
 */
export type AskS3 = (request: AwsRequest, expected?: readonly number[]) => Promise<AwsAnswer>;

export const createAskS3 =
  (call: CallAws): AskS3 =>
  async (request, expected = []) => {
    const answer = await call(request).catch((cause: unknown) => {
      throw new AppError(STORE_UNAVAILABLE, {}, cause);
    });
    if (isSuccess(answer) || expected.includes(answer.status)) return answer;
    throw new AppError(STORE_UNAVAILABLE, {}, toCause(answer));
  };
