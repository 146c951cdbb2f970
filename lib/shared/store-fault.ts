/** What a store's refusal means, by the names that DynamoDB, S3 and IAM give it. */
const FAULTS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/\bAccessDenied|\bAccess Denied|not authorized to perform/, 'the function lacks a permission'],
  [
    /\bResourceNotFoundException\b|Requested resource not found|non-existent table|\bNoSuchBucket\b/,
    'a table or the bucket does not exist',
  ],
  [
    /\bThrottl|\bProvisionedThroughputExceeded|\bRequestLimitExceeded|\bSlowDown\b|\bTooManyRequests/,
    'it is throttling',
  ],
];

const MAX_CAUSES = 5;
const MAX_TEXT = 1_000;

/** Says why a store can't be used, for operators: by what AWS answered, which is a cause of the error; the log has all of it. */
export const describeStoreFault = (error: unknown): string => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    const text = `${cause.name} ${cause.message}`.slice(0, MAX_TEXT);
    const found = FAULTS.find(([pattern]) => pattern.test(text));
    if (found !== undefined) return found[1];
    cause = cause.cause;
  }
  return 'it is unavailable';
};
