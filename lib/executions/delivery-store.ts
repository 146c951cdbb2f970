/** A claim maps one delivery to one execution. */
export interface DeliveryClaim {
  /** Derived from workflow, trigger and the sender's key. */
  readonly deliveryId: string;
  /** The execution to start if this claim is the first. */
  readonly executionId: string;
  /** SHA-256 of the body's bytes, hex: the same key with a different body is the sender's error. */
  readonly bodyHash: string;
  /**
   * SHA-256 of what else a repeated request repeats: method, path and query, hex. Absent for events, and in claims of earlier
   * releases.
   */
  readonly requestHash?: string;
  /** SHA-256 of the id of the secret that authenticated the caller, hex. Absent for none, and in claims of earlier releases. */
  readonly caller?: string;
  /** When the delivery was claimed, in milliseconds since the epoch. */
  readonly claimedAt: number;
  /** The failed execution that `executionId` retries, since the sender has repeated its delivery; absent for none. */
  readonly retries?: string;
  /** End of the window in which another delivery of this id is a duplicate, milliseconds since the epoch. */
  readonly until: number;
}

export interface DeliveryStore {
  /**
   * Claims the delivery, unless a claim exists that is still valid at `claimedAt`. Of concurrent calls, one wins.
   *
   * @returns the valid claim: this one, or the earlier one
   * @throws AppError `STORE_UNAVAILABLE`
   */
  claim(claim: DeliveryClaim): Promise<DeliveryClaim>;
  /**
   * Replaces the claim of the execution that `claim.retries`. Of concurrent calls, one wins.
   *
   * @returns false, with nothing changed, if another claim has replaced it
   * @throws AppError `STORE_UNAVAILABLE`
   */
  takeOver(claim: DeliveryClaim & { readonly retries: string }): Promise<boolean>;
  /**
   * @returns the latest claim of this id, valid or not; null if there is none or it was removed
   * @throws AppError `STORE_UNAVAILABLE`
   */
  find(deliveryId: string): Promise<DeliveryClaim | null>;
}
