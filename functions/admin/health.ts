import { createHealthFunction } from '../../lib/admin-functions.ts';
import { openAdmin } from '../../lib/app.ts';

const { config, ...parts } = openAdmin();

export const handler = createHealthFunction(parts, config.pluginDeadlineMs);
