import { openRequests } from '../../lib/app/requests/compose-requests.ts';
import { createShowRequests } from '../../lib/app/requests/requests-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createShowRequests(openRequests()));
