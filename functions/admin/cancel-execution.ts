import { openCancel } from '../../lib/executions-admin-app.ts';
import { createCancelExecution } from '../../lib/executions-admin-functions.ts';

export const handler = createCancelExecution(openCancel());
