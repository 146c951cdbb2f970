import { createHealthFunction } from '../../lib/admin-functions.ts';
import { openAdmin, serve } from '../../lib/app.ts';

const { config, ...parts } = openAdmin();

export const handler = serve(createHealthFunction(parts, config.pluginDeadlineMs));
