import { openAdmin } from '../../lib/app/compose/admin.ts';
import { createShowPlugin } from '../../lib/app/plugins.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createShowPlugin(openAdmin(describedPlugins)));
