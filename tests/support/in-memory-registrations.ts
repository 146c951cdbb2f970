import type { Clock } from '@hookloom/plugin-kit';
import type {
  RegistrationStore,
  StoredRegistration,
} from '../../lib/triggers/registrations/registration-store.ts';

/** Registrations, for tests whose race is elsewhere. */
export const inMemoryRegistrations = (clock: Pick<Clock, 'now'>): RegistrationStore => {
  const items = new Map<string, StoredRegistration>();
  const replace = (
    before: StoredRegistration | null,
    changes: Omit<StoredRegistration, 'changedAt' | 'revision'>,
  ) => {
    const stored = { ...changes, changedAt: clock.now(), revision: (before?.revision ?? 0) + 1 };
    items.set(stored.name, stored);
    return stored;
  };
  const isCurrent = ({ name, revision }: StoredRegistration) => items.get(name)?.revision === revision;
  return {
    find: async (name) => items.get(name) ?? null,
    claim: async (registration) => {
      const known = items.get(registration.name) ?? null;
      return known !== null && known.workflowId !== registration.workflowId
        ? known
        : replace(known, { ...registration, state: 'pending' });
    },
    change: async (stored, state) => (isCurrent(stored) ? replace(stored, { ...stored, state }) : null),
    remove: async (stored) => isCurrent(stored) && items.delete(stored.name),
    namesOf: async (id) =>
      [...items.values()].filter(({ workflowId }) => workflowId === id).map(({ name }) => name),
    list: async () => [...items.values()],
    listOfType: async (type) => [...items.values()].filter(({ nodeType }) => nodeType === type),
  };
};
