import { createStateStore } from '../../adapters/dynamodb/state-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { createValueChecks } from '../../adapters/dynamodb/value-checks.ts';
import { randomIds, systemClock } from '../../adapters/runtime/system-clock.ts';
import { createStateFor, type StateFor } from '../../state/execution-state.ts';
import { createLargeValues, type ValueBlobs } from '../../state/large-values.ts';

/** Opens the state of the executions of a sandbox. @param isTrial - whether nodes are only tried */
export const openStateFor = (
  { client, tables, blobs }: StageTables & { readonly blobs: ValueBlobs },
  isTrial: boolean,
): StateFor =>
  createStateFor({
    store: createStateStore(client, tables),
    values: createLargeValues({ blobs, checks: createValueChecks(client, tables), ids: randomIds }),
    clock: systemClock,
    isTrial,
  });
