import { openShowExecution } from '../../lib/app/compose/admin.ts';
import { createShowExecution } from '../../lib/app/executions.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createShowExecution(openShowExecution()));
