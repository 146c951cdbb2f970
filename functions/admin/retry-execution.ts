import { openRetry, serve } from '../../lib/app/compose.ts';
import { createRetryExecution } from '../../lib/app/executions-handlers.ts';

export const handler = serve(createRetryExecution(openRetry()));
