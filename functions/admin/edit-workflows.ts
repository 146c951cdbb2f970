import { openEditWorkflows } from '../../lib/app/compose/admin.ts';
import { createEditWorkflows } from '../../lib/app/edit-workflows.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { installedPlugins } from '../../nodes/installed.ts';
import { checkWorkflows } from '../../packages/authoring/stage/check-workflows.ts';

const parts = openEditWorkflows(installedPlugins);

export const handler = serve(
  createEditWorkflows({
    ...parts,
    check: (values, { findNodeType }, options) =>
      checkWorkflows(values, { ...parts, findNodeType, ...options }),
  }),
);
