import { openExecutions } from '../../lib/app/compose.ts';
import { createListExecutions } from '../../lib/app/executions-handlers.ts';

export const handler = createListExecutions(openExecutions());
