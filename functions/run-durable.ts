import { createDurableFunction, durablePing } from '../lib/adapters/durable/durable-function.ts';
import { openDurableRuns } from '../lib/app/compose/background.ts';
import { serve } from '../lib/app/sandbox.ts';
import { installedPlugins } from '../nodes/installed.ts';

export const handler = serve(createDurableFunction(openDurableRuns(installedPlugins)), durablePing);
