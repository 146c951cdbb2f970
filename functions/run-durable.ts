import { DurableExecutionApiClient } from '@aws/durable-execution-sdk-js';
import { createDurableFunction } from '../lib/adapters/durable/durable-function.ts';
import { openRuns } from '../lib/app/compose.ts';
import { serve } from '../lib/app/sandbox.ts';

export const handler = serve(
  createDurableFunction({ ...openRuns(), client: new DurableExecutionApiClient() }),
);
