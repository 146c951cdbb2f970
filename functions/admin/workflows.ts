import { openReadWorkflows } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createReadWorkflows } from '../../lib/app/workflows.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createReadWorkflows(openReadWorkflows(describedPlugins)));
