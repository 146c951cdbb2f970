import { openShowStatistics } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createShowStatistics } from '../../lib/app/statistics.ts';

export const handler = serve(createShowStatistics(openShowStatistics()));
