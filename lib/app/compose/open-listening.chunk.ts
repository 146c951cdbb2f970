import { createListeningStore } from '../../adapters/dynamodb/requests/listening-store.ts';
import type { StageTables } from '../../adapters/dynamodb/table-names.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import { type CatchRequest, createCatchRequest } from '../../webhooks/listening/catch-request.ts';

/** Opens what catches the request that a trigger listens for. */
export const openCatchRequest = ({ client, tables }: StageTables): CatchRequest =>
  createCatchRequest({ store: createListeningStore(client, tables), clock: systemClock });
