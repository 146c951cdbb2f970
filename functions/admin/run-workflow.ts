import { openRunWorkflow } from '../../lib/app/compose/triggers.ts';
import { createRunWorkflow } from '../../lib/app/run-workflow.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createRunWorkflow(openRunWorkflow(describedPlugins)));
