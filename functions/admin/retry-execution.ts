import { openEditedRetry } from '../../lib/app/compose/admin.ts';
import { createRetryExecution } from '../../lib/app/executions.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createRetryExecution(openEditedRetry(describedPlugins)));
