import { openAdmin } from '../../lib/app/compose/admin.ts';
import { createDebug } from '../../lib/app/debug.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createDebug(openAdmin(describedPlugins)));
