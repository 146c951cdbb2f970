import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin } from '../../lib/app.ts';
import { listProviders } from '../../lib/plugins/summaries.ts';

export const handler = createAdminList(openAdmin(), listProviders);
