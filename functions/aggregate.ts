import { createAggregate } from '../lib/app/aggregate.ts';
import { openAggregate } from '../lib/app/compose/background.ts';
import { serve } from '../lib/app/sandbox.ts';

export const handler = serve(createAggregate(openAggregate()));
