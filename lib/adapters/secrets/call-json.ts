import { SecretStoreOut } from '../../credentials/outbound/secret-store.ts';
import { SECRETS_UNAVAILABLE } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type AwsRequest, type CallAws, postJson } from '../aws/aws-caller.ts';
import { errorTypeOf, isSuccess, isThrottled, toCause } from '../aws/aws-error.ts';

/**
 * Calls an operation of AWS's JSON protocol 1.1.
 * @param target - such as `AmazonSSM.GetParameters`
 * @param missing - the error type for something that does not exist; null for operations without one
 * @returns null for that error
 * @throws AppError `SECRETS_UNAVAILABLE`, with the cause {@link SecretStoreOut} if it may be temporary
 */
export const callJson = async (
  call: CallAws,
  target: string,
  input: object,
  missing: string | null,
  options: Pick<AwsRequest, 'answersThrottling'> = {},
): Promise<Readonly<Record<string, unknown>> | null> => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const answer = await call({ ...options, ...postJson('/', input, headers) }).catch((cause: Error) => {
    const out = new SecretStoreOut(cause.message, { isThrottled: false, cause });
    throw new AppError(SECRETS_UNAVAILABLE, {}, out);
  });
  if (isSuccess(answer)) return JSON.parse(answer.body.toString());
  if (errorTypeOf(answer) === missing) return null;
  const cause = toCause(answer);
  const wasThrottled = isThrottled(answer);
  const isOut = wasThrottled || answer.status >= 500;
  throw new AppError(
    SECRETS_UNAVAILABLE,
    {},
    isOut ? new SecretStoreOut(cause.message, { isThrottled: wasThrottled }) : cause,
  );
};
