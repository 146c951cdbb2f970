import { openSendAgain } from '../../lib/app/compose/admin.ts';
import { createSendAgain } from '../../lib/app/requests.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { describedPlugins } from '../../nodes/described.ts';

export const handler = serve(createSendAgain(openSendAgain(describedPlugins)));
