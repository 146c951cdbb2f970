import { openRequests } from '../../lib/app/compose-requests.ts';
import { createShowRequests } from '../../lib/app/requests-handlers.ts';

export const handler = createShowRequests(openRequests());
