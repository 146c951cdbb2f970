import { openCancel } from '../../lib/app/compose.ts';
import { createCancelExecution } from '../../lib/app/executions-handlers.ts';

export const handler = createCancelExecution(openCancel());
