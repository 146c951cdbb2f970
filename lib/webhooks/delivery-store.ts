/** What makes a delivery the same as one before. */
export interface DeliveryClaim {
  /** Derived from workflow, trigger and the sender's key. */
  readonly deliveryId: string;
  /** The execution that this claim is for, should it be the first. */
  readonly executionId: string;
  /** SHA-256 of the body's bytes, hex: the same key with another body is a mistake of the sender. */
  readonly bodyHash: string;
  /** Milliseconds since the epoch. */
  readonly claimedAt: number;
  /** Until when another delivery of this id is a duplicate, milliseconds since the epoch. */
  readonly until: number;
}

/** Rejects with {@link AppError} `STORE_UNAVAILABLE` when the store can't be had. */
export interface DeliveryStore {
  /**
   * Claims the delivery, unless a claim holds that is still good at `claimedAt`. Of many at once, one wins.
   * @returns the claim that holds: this one, or the one before
   */
  claim(claim: DeliveryClaim): Promise<DeliveryClaim>;
}
