import { openShowExecution } from '../../lib/app/compose.ts';
import { createShowExecution } from '../../lib/app/executions-handlers.ts';

export const handler = createShowExecution(openShowExecution());
