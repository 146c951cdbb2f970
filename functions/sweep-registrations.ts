import { openRegistrations } from '../lib/app/compose/triggers.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createRegistrationsFunction } from '../lib/app/triggers/registrations-handler.ts';
import { describedPlugins } from '../nodes/described.ts';

export const handler = serve(createRegistrationsFunction(openRegistrations(describedPlugins)));
