import { DurableExecutionApiClient } from '@aws/durable-execution-sdk-js';
import { serve } from '../lib/app.ts';
import { createDurableFunction } from '../lib/durable/durable-function.ts';
import { openRuns } from '../lib/run-app.ts';

export const handler = serve(
  createDurableFunction({ ...openRuns(), client: new DurableExecutionApiClient() }),
);
