import { openRuns, serve } from '../lib/app/compose.ts';
import { createExpressFunction } from '../lib/app/express-handler.ts';

export const handler = serve(createExpressFunction(openRuns()));
