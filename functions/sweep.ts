import { systemClock } from '../lib/adapters/runtime/system-clock.ts';
import { openConfig, openLogger } from '../lib/app/compose.ts';
import { openDispatcher, openDurableService, openEvents, openStore } from '../lib/app/compose-stores.ts';
import { createSweepFunction } from '../lib/app/sweep-handler.ts';

const config = openConfig();
const logger = openLogger(config);

export const handler = createSweepFunction({
  ...openStore(config),
  ...openEvents(config, logger),
  dispatcher: openDispatcher(config),
  durableService: openDurableService(config),
  clock: systemClock,
  logger,
});
