import { openAdmin, serve } from '../../lib/app/compose.ts';
import { createHealthFunction } from '../../lib/app/plugins-handlers.ts';

const { config, ...parts } = openAdmin();

export const handler = serve(createHealthFunction(parts, config.pluginDeadlineMs));
