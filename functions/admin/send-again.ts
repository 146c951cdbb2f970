import { openSendAgain } from '../../lib/app/requests/compose-requests.ts';
import { createSendAgain } from '../../lib/app/requests/requests-handlers.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createSendAgain(openSendAgain()));
