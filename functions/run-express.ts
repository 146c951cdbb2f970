import { openRuns } from '../lib/app/compose/runs.ts';
import { createExpressFunction } from '../lib/app/express-handler.ts';
import { serve } from '../lib/app/sandbox.ts';

export const handler = serve(createExpressFunction(openRuns()));
