import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { Config } from '../config.ts';
import { openConfig, openLogger, openStores } from './parts.ts';

/** Opens the parts of the function that shows and changes entries of state. */
export const openState = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  return { store: createStateStore(client, tables), logger: openLogger(config), clock: systemClock };
};
