import { type ReconcileAllParts, reconcileAll } from '../../registrations/reconcile-all.ts';

/** The sweeper of registrations, invoked by a schedule. */
export const createRegistrationsFunction = (parts: ReconcileAllParts) => (): Promise<void> =>
  reconcileAll(parts);
