import { openRequests } from '../../lib/app/compose/admin.ts';
import { createShowRequests } from '../../lib/app/requests.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createShowRequests(openRequests()));
