import { openRunWorkflow } from '../../lib/app/compose/triggers.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createRunWorkflow } from '../../lib/app/triggers/run-workflow-handler.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createRunWorkflow(openRunWorkflow(describedPlugins)));
