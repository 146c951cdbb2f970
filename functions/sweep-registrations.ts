import { openRegistrations } from '../lib/app/triggers/open-registrations.ts';
import { createRegistrationsFunction } from '../lib/app/triggers/registrations-handler.ts';

export const handler = createRegistrationsFunction(openRegistrations());
