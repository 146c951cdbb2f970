import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { createValueChecks } from '../../adapters/dynamodb/value-checks.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { checkValues } from '../../state/check-values.ts';
import type { Config } from '../config.ts';
import { openBlobs } from './parts.ts';

/** Removes large values of state that no entry names any more: see `checkValues`. */
export const checkStageValues = (
  config: Config,
  { client, tables }: StageTables,
  options: Parameters<typeof checkValues>[1],
) =>
  checkValues(
    {
      store: createStateStore(client, tables),
      checks: createValueChecks(client, tables),
      blobs: openBlobs(config),
      clock: systemClock,
    },
    options,
  );
