import { openExecutions } from '../../lib/app/compose/admin.ts';
import { createListExecutions } from '../../lib/app/executions.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createListExecutions(openExecutions()));
