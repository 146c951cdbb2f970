import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin } from '../../lib/app.ts';
import { listTriggers } from '../../lib/plugins/summaries.ts';

export const handler = createAdminList(openAdmin(), listTriggers);
