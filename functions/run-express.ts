import { serve } from '../lib/app.ts';
import { createExpressFunction } from '../lib/express-function.ts';
import { openRuns } from '../lib/run-app.ts';

export const handler = serve(createExpressFunction(openRuns()));
