import { serve } from '../lib/app/compose.ts';
import { openRuns } from '../lib/app/compose-runs.ts';
import { createExpressFunction } from '../lib/app/express-handler.ts';

export const handler = serve(createExpressFunction(openRuns()));
