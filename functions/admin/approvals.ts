import { createListApprovals } from '../../lib/app/approvals-handler.ts';
import { openApprovals } from '../../lib/app/compose.ts';

export const handler = createListApprovals(openApprovals());
