import { openHealth } from '../../lib/app/compose/admin.ts';
import { createHealthRoutes } from '../../lib/app/health.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { installedPlugins } from '../../nodes/installed.ts';

export const handler = serve(createHealthRoutes(openHealth(installedPlugins)));
