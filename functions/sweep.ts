import { openSweep } from '../lib/app/compose/background.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createSweepFunction } from '../lib/app/sweep-handler.ts';

export const handler = serve(createSweepFunction(openSweep()));
