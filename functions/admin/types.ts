import { openAdmin } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createReadTypes } from '../../lib/app/types-handlers.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createReadTypes(openAdmin(describedPlugins)));
