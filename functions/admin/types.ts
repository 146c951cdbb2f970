import { openAdmin } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createReadTypes } from '../../lib/app/types.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(
  createReadTypes({
    ...openAdmin(describedPlugins),
    addFeatures: async (type) =>
      (await import('../../lib/webhooks/features/add-features.chunk.ts')).addFeatures(type),
    readOpenApi: async () => (await import('../../lib/app/openapi.chunk.ts')).openApi,
  }),
);
