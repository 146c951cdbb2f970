import { createAdminList } from '../../lib/app/admin-list.ts';
import { openAdmin } from '../../lib/app/compose/admin.ts';
import { listTriggersRoute } from '../../lib/app/plugins.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { listTriggers } from '../../lib/plugins/summaries.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createAdminList(openAdmin(describedPlugins), [listTriggersRoute], listTriggers));
