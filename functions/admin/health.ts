import { openHealth } from '../../lib/app/compose.ts';
import { createHealthFunction } from '../../lib/app/health-handler.ts';
import { serve } from '../../lib/app/sandbox.ts';

export const handler = serve(createHealthFunction(openHealth()));
