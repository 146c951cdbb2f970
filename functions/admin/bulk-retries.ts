import { createBulkRetries } from '../../lib/app/bulk-retries.ts';
import { openBulkRetries } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createBulkRetries(openBulkRetries(describedPlugins)));
