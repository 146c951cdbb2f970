import type { SdkError } from './sdk-error.ts';

/** What the SDK retries by name. https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html */
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

/** Of a connection. */
const NETWORK = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether another attempt may succeed. */
export const isRetryable = (error: SdkError): boolean => {
  const { httpStatusCode: status = 0 } = error.$metadata ?? {};
  return (
    error.$retryable !== undefined ||
    PASSING.has(error.name) ||
    (typeof error.code === 'string' && NETWORK.has(error.code)) ||
    status === 429 ||
    status >= 500
  );
};
