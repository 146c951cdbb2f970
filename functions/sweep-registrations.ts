import { serve } from '../lib/app/sandbox.ts';
import { openRegistrations } from '../lib/app/triggers/open-registrations.ts';
import { createRegistrationsFunction } from '../lib/app/triggers/registrations-handler.ts';

export const handler = serve(createRegistrationsFunction(openRegistrations()));
