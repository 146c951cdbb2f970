import { serve } from '../../lib/app/compose.ts';
import { openRetry } from '../../lib/app/compose-executions.ts';
import { createRetryExecution } from '../../lib/app/executions-handlers.ts';

export const handler = serve(createRetryExecution(openRetry()));
