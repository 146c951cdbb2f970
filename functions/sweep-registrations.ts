import { openRegistrations } from '../lib/app/compose/triggers.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createRegistrationsFunction } from '../lib/app/triggers/registrations-handler.ts';
import { installedPlugins } from '../plugins/installed.ts';

export const handler = serve(createRegistrationsFunction(openRegistrations(installedPlugins)));
