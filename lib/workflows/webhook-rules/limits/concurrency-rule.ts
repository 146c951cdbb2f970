/** The parameter `concurrency`. */
export interface ConcurrencyRule {
  readonly max: number;
  /** `refuse` when absent. */
  readonly onLimit?: 'refuse' | 'cancelOldest' | 'queue';
  /** With `queue`: how many may wait; 1,000 when absent. */
  readonly maxQueued?: number;
}
