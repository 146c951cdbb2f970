import type { SdkError } from './sdk-error.ts';

/** Error names that the SDK retries. https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
const PASSING = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

/** Whether another attempt may succeed after an error other than a connection error. */
export const isRetryable = (error: SdkError): boolean => {
  const { httpStatusCode: status = 0 } = error.$metadata ?? {};
  return error.$retryable !== undefined || PASSING.has(error.name) || status === 429 || status >= 500;
};
