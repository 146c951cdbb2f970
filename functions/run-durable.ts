import { DurableExecutionApiClient } from '@aws/durable-execution-sdk-js';
import { createDurableFunction } from '../lib/adapters/durable/durable-function.ts';
import { serve } from '../lib/app/compose.ts';
import { openRuns } from '../lib/app/compose-runs.ts';

export const handler = serve(
  createDurableFunction({ ...openRuns(), client: new DurableExecutionApiClient() }),
);
