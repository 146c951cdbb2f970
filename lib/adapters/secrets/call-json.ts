import { AppError } from '../../shared/errors.ts';
import type { CallAws } from '../aws/aws-caller.ts';
import { errorTypeOf, isSuccess, toCause } from '../aws/aws-error.ts';

/**
 * Calls an operation of AWS's JSON protocol 1.1.
 *
 * @param target - such as `AmazonSSM.GetParameter`
 * @param missing - the error type of what does not exist; null for operations without one
 * @returns null for that error
 * @throws AppError `SECRETS_UNAVAILABLE`
 */
export const callJson = async (
  call: CallAws,
  target: string,
  input: object,
  missing: string | null,
): Promise<Readonly<Record<string, unknown>> | null> => {
  const answer = await call({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
    body: JSON.stringify(input),
  }).catch((cause: unknown) => {
    throw new AppError('SECRETS_UNAVAILABLE', {}, cause);
  });
  if (isSuccess(answer)) return JSON.parse(answer.body.toString());
  if (errorTypeOf(answer) === missing) return null;
  throw new AppError('SECRETS_UNAVAILABLE', {}, toCause(answer));
};
