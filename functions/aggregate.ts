import { openAggregate } from '../lib/app/compose/statistics.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createAggregate } from '../lib/app/statistics-handlers.ts';

export const handler = serve(createAggregate(openAggregate()));
