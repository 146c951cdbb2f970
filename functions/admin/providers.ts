import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin, serve } from '../../lib/app.ts';
import { listProviders } from '../../lib/plugins/summaries.ts';

export const handler = serve(createAdminList(openAdmin(), listProviders));
