import type { Registration } from './registration.ts';

/**
 * `pending` from before the first external call until all are made; `leaving` from before the first call that undoes
 * them until it is removed. So whatever external resources a crash leaves have a stored registration.
 */
export type RegistrationState = 'pending' | 'registered' | 'leaving';

export interface StoredRegistration extends Registration {
  readonly state: RegistrationState;
  /** Time of the last change, milliseconds since the epoch. */
  readonly changedAt: number;
  /** How often the registration has changed. */
  readonly revision: number;
}

/** Every method throws AppError `STORE_UNAVAILABLE` when the store can't be reached. */
export interface RegistrationStore {
  find(name: string): Promise<StoredRegistration | null>;
  /**
   * Stores a registration as pending, unless another workflow has one with this name. Within the same workflow, a
   * trigger takes it over from another trigger, which was renamed.
   *
   * @returns the stored registration, which may belong to the other workflow
   * @throws AppError `WORKFLOW_CHANGED` when concurrent changes keep interfering
   */
  claim(registration: Registration): Promise<StoredRegistration>;
  /** Changes the state, unless the registration has changed since it was read. @returns null if it has */
  change(stored: StoredRegistration, state: RegistrationState): Promise<StoredRegistration | null>;
  /** Removes a registration, unless it has changed since it was read. @returns whether it is removed */
  remove(stored: StoredRegistration): Promise<boolean>;
  /** The names of a workflow's registrations. Changes of the last second may be missing. */
  namesOf(workflowId: string): Promise<readonly string[]>;
  /** All registrations, unordered: one per registered trigger. */
  list(): Promise<readonly StoredRegistration[]>;
  /** The registrations of a node type. Changes of the last second may be missing. */
  listOfType(nodeType: string): Promise<readonly StoredRegistration[]>;
}
