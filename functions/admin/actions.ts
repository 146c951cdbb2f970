import { createAdminList } from '../../lib/admin-functions.ts';
import { openAdmin, serve } from '../../lib/app.ts';
import { listActions } from '../../lib/plugins/summaries.ts';

export const handler = serve(createAdminList(openAdmin(), listActions));
