import type { Clock } from '@hookloom/plugin-kit';
import type { DynamoDbClient } from '../../adapters/dynamodb/client.ts';
import { createListeningStore } from '../../adapters/dynamodb/requests/listening-store.ts';
import type { TableNames } from '../../adapters/dynamodb/table-names.ts';
import { type CatchRequest, createCatchRequest } from '../../webhooks/listening/catch-request.ts';

export interface ListeningParts {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
  readonly clock: Pick<Clock, 'now'>;
}

/** Opens what catches the request that a trigger listens for. */
export const openCatchRequest = ({ client, tables, clock }: ListeningParts): CatchRequest =>
  createCatchRequest({ store: createListeningStore(client, tables), clock });
