import { openStatistics } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createShowStatistics } from '../../lib/app/statistics.ts';

export const handler = serve(createShowStatistics(openStatistics()));
