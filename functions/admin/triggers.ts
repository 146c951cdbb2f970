import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin, serve } from '../../lib/app.ts';
import { listTriggers } from '../../lib/plugins/summaries.ts';

export const handler = serve(createAdminList(openAdmin(), listTriggers));
