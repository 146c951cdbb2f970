/** The parameter `rateLimit`. */
export interface RateLimitRule {
  readonly requests: number;
  readonly seconds: number;
  readonly per: 'path' | 'caller';
  /** `ip`, `credential` or `header:NAME`; `ip` when absent. */
  readonly by?: string;
  /** As `requests` when absent. */
  readonly burst?: number;
  /** `closed` when absent. */
  readonly onStoreFailure?: 'open' | 'closed';
}

/** Writes that DynamoDB takes for one item: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
export const MAX_PER_SECOND = 1_000;
