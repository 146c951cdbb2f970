/** The parameter `concurrency`. */
export interface ConcurrencyRule {
  readonly max: number;
  /** `refuse` when absent. */
  readonly onLimit?: 'refuse' | 'cancelOldest';
}
