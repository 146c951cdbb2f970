import { openRetry } from '../../lib/app/compose/admin.ts';
import { createRetryExecution } from '../../lib/app/executions-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createRetryExecution(openRetry()));
