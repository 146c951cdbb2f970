import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import { createValueChecks } from '../../adapters/dynamodb/value-checks.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { createLargeValues } from '../../state/large-values.ts';
import type { Config } from '../config.ts';
import { openBlobs, openConfig, openLogger, openStores } from './parts.ts';

/** Opens the parts of the function that shows and changes entries of state. */
export const openState = (config: Config = openConfig()) => {
  const { client, tables } = openStores(config);
  const checks = createValueChecks(client, tables);
  return {
    store: createStateStore(client, tables),
    values: createLargeValues({ blobs: openBlobs(config), checks, ids: randomIds }),
    logger: openLogger(config),
    clock: systemClock,
  };
};
