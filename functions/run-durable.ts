import { DurableExecutionApiClient } from '@aws/durable-execution-sdk-js';
import { createDurableFunction } from '../lib/adapters/durable/durable-function.ts';
import { openRuns, serve } from '../lib/app/compose.ts';

export const handler = serve(
  createDurableFunction({ ...openRuns(), client: new DurableExecutionApiClient() }),
);
