import type { TypesOnUse } from '../../lib/app/types.ts';

/** What the routes of types load on use, as functions/admin/types.ts hands it in. */
export const typesOnUse: TypesOnUse = {
  addFeatures: async (type) =>
    (await import('../../lib/webhooks/features/add-features.chunk.ts')).addFeatures(type),
  readOpenApi: async () => (await import('../../lib/app/openapi.chunk.ts')).openApi,
};
