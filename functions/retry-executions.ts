import { openRetryExecutions } from '../lib/app/compose/background.ts';
import { createRetryExecutions } from '../lib/app/retry-executions.ts';
import { serve } from '../lib/app/sandbox.ts';
import { describedPlugins } from '../nodes/described.ts';

export const handler = serve(createRetryExecutions(openRetryExecutions(describedPlugins)));
