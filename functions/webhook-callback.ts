import { openConfig, openLogger } from '../lib/app.ts';
import { openDurableService, openStore } from '../lib/background-app.ts';
import { createCallbackFunction } from '../lib/callback-function.ts';
import { systemClock } from '../lib/services/system-clock.ts';

const config = openConfig();

export const handler = createCallbackFunction({
  executions: openStore(config).executions,
  durableService: openDurableService(config),
  clock: systemClock,
  logger: openLogger(config),
});
