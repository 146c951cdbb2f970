import { systemClock } from '../lib/adapters/runtime/system-clock.ts';
import { createCallbackFunction } from '../lib/app/callback-handler.ts';
import { openConfig, openLogger } from '../lib/app/compose.ts';
import { openDurableService, openStore } from '../lib/app/compose-stores.ts';

const config = openConfig();

export const handler = createCallbackFunction({
  executions: openStore(config).executions,
  durableService: openDurableService(config),
  clock: systemClock,
  logger: openLogger(config),
});
