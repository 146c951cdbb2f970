import { createListApprovals } from '../../lib/app/approvals-handler.ts';
import { openApprovals } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createListApprovals(openApprovals()));
