import { openTrials } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createTryNode } from '../../lib/app/trials.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { checkTrial } from '../../packages/authoring/stage/check-trial.ts';

const parts = openTrials(installedPlugins);

export const handler = serve(
  createTryNode({ ...parts, check: (definition, nodeId) => checkTrial(definition, nodeId, parts) }),
);
