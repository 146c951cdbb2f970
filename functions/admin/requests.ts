import { openRequests } from '../../lib/app/requests/compose-requests.ts';
import { createShowRequests } from '../../lib/app/requests/requests-handlers.ts';

export const handler = createShowRequests(openRequests());
