import { AppError } from '../errors.ts';
import type { DurableService, DurableStatus } from '../executions/durable-service.ts';
import type { AwsAnswer, AwsRequest, CallAws } from './aws-caller.ts';
import { errorTypeOf, isDone, toCause } from './aws-error.ts';

const STATUSES: Readonly<Record<string, DurableStatus>> = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  STOPPED: 'stopped',
};

/** How Lambda says that a callback is not open: it never was, was answered, or ran out of time. */
const NOT_OPEN = new Set([
  'ResourceNotFoundException',
  'InvalidParameterValueException',
  'CallbackTimeoutException',
]);

/** Lambda's durable executions, from outside. https://docs.aws.amazon.com/lambda/latest/api/API_Operations.html */
export const createLambdaDurableService = (call: CallAws): DurableService => {
  const ask = (request: AwsRequest): Promise<AwsAnswer> =>
    call(request).catch((cause: unknown) => {
      throw new AppError('ENGINE_UNAVAILABLE', {}, cause);
    });
  const refuse = (answer: AwsAnswer): never => {
    throw new AppError('ENGINE_UNAVAILABLE', {}, toCause(answer));
  };
  const pathOf = (durableArn: string): string =>
    `/2025-12-01/durable-executions/${encodeURIComponent(durableArn)}`;

  return {
    findStatus: async (durableArn) => {
      const answer = await ask({ method: 'GET', path: pathOf(durableArn) });
      if (errorTypeOf(answer) === 'ResourceNotFoundException') return 'gone';
      if (!isDone(answer)) return refuse(answer);
      const { Status } = JSON.parse(Buffer.from(answer.body).toString());
      return STATUSES[Status] ?? 'running';
    },

    stop: async (durableArn, reason) => {
      const answer = await ask({
        method: 'POST',
        path: `${pathOf(durableArn)}/stop`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ErrorType: 'Stopped', ErrorMessage: reason }),
      });
      const hasEnded = answer.status === 409 || errorTypeOf(answer) === 'ResourceNotFoundException';
      if (!isDone(answer) && !hasEnded) refuse(answer);
    },

    answerCallback: async (callbackId, value) => {
      const answer = await ask({
        method: 'POST',
        path: `/2025-12-01/durable-execution-callbacks/${encodeURIComponent(callbackId)}/succeed`,
        headers: { 'content-type': 'application/octet-stream' },
        body: JSON.stringify(value),
      });
      if (isDone(answer)) return true;
      return NOT_OPEN.has(errorTypeOf(answer)) ? false : refuse(answer);
    },
  };
};
