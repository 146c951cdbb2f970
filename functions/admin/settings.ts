import { openSettings } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createSettings } from '../../lib/app/variables.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createSettings(openSettings(describedPlugins)));
