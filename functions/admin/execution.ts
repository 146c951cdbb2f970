import { openExecutions } from '../../lib/executions-admin-app.ts';
import { createShowExecution } from '../../lib/executions-admin-functions.ts';

export const handler = createShowExecution(openExecutions());
