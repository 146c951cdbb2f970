/** A place among the concurrent executions of a workflow. */
export interface Slot {
  readonly executionId: string;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

/**
 * The slots of a workflow are in groups, each of which is one item: no larger than what DynamoDB writes for one unit, and one of
 * several that starts are spread over.
 */
export const GROUP_SIZE = 15;

/** For the highest limit, 100. */
export const MAX_GROUPS = 7;

interface SlotRequest {
  readonly workflowId: string;
  /** From 0 to `MAX_GROUPS - 1`. */
  readonly group: number;
  readonly slot: Slot;
  /** Slots of the group that may be held at once. */
  readonly max: number;
  /** Slots of the group that are given up for it: executions that have ended. */
  readonly ended: readonly Slot[];
}

/** All methods throw AppError `STORE_UNAVAILABLE`. */
export interface SlotStore {
  /**
   * Takes a slot, on the condition that its execution has none in the group, that no more than `max` are held then, and that the ended
   * ones still are, so that each is given up once. Of concurrent calls, no more succeed than there are slots.
   *
   * @returns false, with nothing changed, when the condition does not hold
   */
  take(request: SlotRequest): Promise<boolean>;
  /** The slots that are held, in the first groups. */
  list(workflowId: string, groups: number): Promise<readonly (readonly Slot[])[]>;
}
