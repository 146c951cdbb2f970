import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin } from '../../lib/app.ts';
import { listActions } from '../../lib/plugins/summaries.ts';

export const handler = createAdminList(openAdmin(), listActions);
