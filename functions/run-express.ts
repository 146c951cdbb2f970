import { openExpressRuns } from '../lib/app/compose/background.ts';
import { createExpressFunction } from '../lib/app/express-handler.ts';
import { serve } from '../lib/app/sandbox.ts';
import { installedPlugins } from '../nodes/installed.ts';

export const handler = serve(createExpressFunction(openExpressRuns(installedPlugins)));
