import { serve } from '../../lib/app.ts';
import { openRetry } from '../../lib/executions-admin-app.ts';
import { createRetryExecution } from '../../lib/executions-admin-functions.ts';

export const handler = serve(createRetryExecution(openRetry()));
