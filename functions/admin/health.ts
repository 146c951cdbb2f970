import { openAdmin } from '../../lib/app/compose.ts';
import { createHealthFunction } from '../../lib/app/plugins-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';

const { config, ...parts } = openAdmin();

export const handler = serve(createHealthFunction(parts, config.pluginDeadlineMs));
