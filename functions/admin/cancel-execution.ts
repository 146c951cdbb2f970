import { openCancel } from '../../lib/app/compose/admin.ts';
import { createCancelExecution } from '../../lib/app/executions.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createCancelExecution(openCancel()));
