import { openSweep } from '../lib/app/compose.ts';
import { createSweepFunction } from '../lib/app/sweep-handler.ts';

export const handler = createSweepFunction(openSweep());
