import { DurableExecutionApiClient } from '@aws/durable-execution-sdk-js';
import { createDurableFunction } from '../lib/durable/durable-function.ts';
import { openRuns } from '../lib/run-app.ts';

export const handler = createDurableFunction({ ...openRuns(), client: new DurableExecutionApiClient() });
