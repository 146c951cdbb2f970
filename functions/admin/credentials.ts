import { openEditCredentials } from '../../lib/app/compose/admin.ts';
import { createCredentials } from '../../lib/app/edit-credentials.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';

export const handler = serve(
  createCredentials({
    ...openEditCredentials(describedPlugins),
    checkFields: (schema, fields) => checkSchema(schema, fields, ''),
  }),
);
