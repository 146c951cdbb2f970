import { createListApprovals } from '../../lib/app/approvals.ts';
import { openApprovals } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createListApprovals(openApprovals()));
