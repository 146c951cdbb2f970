import { openConfig, openLogger } from '../lib/app.ts';
import { openDurableService, openEvents, openLauncher, openStore } from '../lib/background-app.ts';
import { systemClock } from '../lib/services/system-clock.ts';
import { createSweepFunction } from '../lib/sweep-function.ts';

const config = openConfig();
const logger = openLogger(config);

export const handler = createSweepFunction({
  ...openStore(config),
  ...openEvents(config, logger),
  launcher: openLauncher(config),
  durableService: openDurableService(config),
  clock: systemClock,
  logger,
});
