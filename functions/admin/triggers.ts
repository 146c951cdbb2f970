import { listTriggersRoute } from '../../lib/app/api/plugins.ts';
import { openAdmin } from '../../lib/app/compose/admin.ts';
import { createAdminList } from '../../lib/app/plugins-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { listTriggers } from '../../lib/plugins/summaries.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createAdminList(openAdmin(describedPlugins), [listTriggersRoute], listTriggers));
