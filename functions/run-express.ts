import { createExpressFunction } from '../lib/express-function.ts';
import { openRuns } from '../lib/run-app.ts';

export const handler = createExpressFunction(openRuns());
