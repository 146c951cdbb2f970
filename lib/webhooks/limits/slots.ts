/** A place among the concurrent executions of a workflow. */
export interface Slot {
  readonly executionId: string;
  /** When the slot was taken, in milliseconds since the epoch. */
  readonly takenAt: number;
}

/**
 * A workflow's slots are divided into groups of one item each: small enough for one DynamoDB write unit, and starts are
 * spread over them.
 */
export const GROUP_SIZE = 15;

/** Maximum number of groups, enough for the highest limit, 100. */
export const MAX_GROUPS = 7;

interface SlotRequest {
  readonly workflowId: string;
  /** Number of the group, from 0 to `MAX_GROUPS - 1`. */
  readonly group: number;
  readonly slot: Slot;
  /** How many slots of the group may be held at once. */
  readonly max: number;
  /** Slots of the group to release: their executions have ended. */
  readonly ended: readonly Slot[];
}

/** All methods throw AppError `STORE_UNAVAILABLE`. */
export interface SlotStore {
  /**
   * Takes a slot, provided that its execution has none in the group, that at most `max` are held afterwards, and that
   * the ended ones are still held, so that each is released once. Of concurrent calls, no more succeed than there are
   * slots.
   *
   * @returns false if the condition does not hold; nothing is changed then
   */
  take(request: SlotRequest): Promise<boolean>;
  /** The held slots of the first `groups` groups. */
  list(workflowId: string, groups: number): Promise<readonly (readonly Slot[])[]>;
}
