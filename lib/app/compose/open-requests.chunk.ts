import { randomInt } from 'node:crypto';
import type { Clock, Ids, Logger } from '@hookloom/plugin-kit';
import type { DynamoDbClient } from '../../adapters/dynamodb/client.ts';
import { createRequestStore } from '../../adapters/dynamodb/requests/request-store.ts';
import type { TableNames } from '../../adapters/dynamodb/table-names.ts';
import { createRecordRequest, createRefusalSlots } from '../../webhooks/requests/record-request.ts';
import type { RecordRequest } from '../../webhooks/requests/request-outcome.ts';

export interface RequestParts {
  readonly client: DynamoDbClient;
  readonly tables: TableNames;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

export const openRecordRequest = ({
  client,
  tables,
  retentionDays,
  ...parts
}: RequestParts): RecordRequest => {
  const options = { retentionDays, clock: parts.clock };
  return createRecordRequest({
    ...parts,
    store: createRequestStore(client, tables, options),
    slots: createRefusalSlots((limit) => randomInt(limit)),
  });
};
