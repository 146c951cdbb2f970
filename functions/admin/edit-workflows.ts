import { checkWorkflows } from '../../authoring/stage/check-workflows.ts';
import { openEditWorkflows } from '../../lib/app/compose/editing.ts';
import { createEditWorkflows } from '../../lib/app/edit-workflows-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { installedPlugins } from '../../plugins/installed.ts';

const parts = openEditWorkflows(installedPlugins);

export const handler = serve(
  createEditWorkflows({
    ...parts,
    check: (values, { findNodeType }, isProbe) => checkWorkflows(values, { ...parts, findNodeType, isProbe }),
  }),
);
