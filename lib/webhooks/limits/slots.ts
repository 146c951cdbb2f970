/** A place among the concurrent executions of a workflow. */
export interface Slot {
  readonly executionId: string;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

interface SlotRequest {
  readonly workflowId: string;
  readonly slot: Slot;
  /** Slots that may be held at once. */
  readonly max: number;
  /** Slots that are given up for it: executions that have ended. */
  readonly ended: readonly Slot[];
}

export interface SlotStore {
  /**
   * Takes a slot, on the condition that no more than `max` are held then and that the ended ones still are, so that each
   * is given up once. Of concurrent calls, no more succeed than there are slots.
   *
   * @returns null when it was taken; else the slots that are held, which may be those of this execution
   * @throws AppError `STORE_UNAVAILABLE`
   */
  take(request: SlotRequest): Promise<readonly Slot[] | null>;
}
