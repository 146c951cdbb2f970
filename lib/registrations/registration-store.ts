import type { Registration } from './registration.ts';

/**
 * `pending` from before the first call outside until all are made; `leaving` from before the first call that takes it back
 * until it is removed. So whatever a crash leaves outside has a stored registration.
 */
export type RegistrationState = 'pending' | 'registered' | 'leaving';

export interface StoredRegistration extends Registration {
  readonly state: RegistrationState;
  /** Of the last change, milliseconds since the epoch. */
  readonly changedAt: number;
  /** Counts the changes. */
  readonly revision: number;
}

/** Every method throws AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface RegistrationStore {
  find(name: string): Promise<StoredRegistration | null>;
  /**
   * Stores a registration as pending, unless another workflow has one of this name. Of the same workflow, it is taken over
   * from another trigger: one that was renamed.
   *
   * @returns the stored one, which may be that of the other workflow
   * @throws AppError `WORKFLOW_CHANGED` when others change it all the time
   */
  claim(registration: Registration): Promise<StoredRegistration>;
  /** Changes the state, unless the registration has changed since it was read. @returns null when it has */
  change(stored: StoredRegistration, state: RegistrationState): Promise<StoredRegistration | null>;
  /** Removes it, unless it has changed since it was read. @returns whether it is removed */
  remove(stored: StoredRegistration): Promise<boolean>;
  /** The names of those of a workflow. What was changed in the last second may be missing. */
  namesOf(workflowId: string): Promise<readonly string[]>;
  /** All of them, in no order: one for each trigger that is registered. */
  list(): Promise<readonly StoredRegistration[]>;
  /** Those of a node type. What was changed in the last second may be missing. */
  listOfType(nodeType: string): Promise<readonly StoredRegistration[]>;
}
