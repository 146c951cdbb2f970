import { openExecutions } from '../../lib/executions-admin-app.ts';
import { createListExecutions } from '../../lib/executions-admin-functions.ts';

export const handler = createListExecutions(openExecutions());
