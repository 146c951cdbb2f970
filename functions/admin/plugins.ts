import { openAdmin, serve } from '../../lib/app/compose.ts';
import { createAdminList } from '../../lib/app/plugins-handlers.ts';
import { listPlugins } from '../../lib/plugins/summaries.ts';

export const handler = serve(createAdminList(openAdmin(), listPlugins));
