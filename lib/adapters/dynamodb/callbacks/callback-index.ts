import type { CallbackIndex, ListedCallback } from '../../../callbacks/callback-index.ts';
import type { Clock } from '../../../contract/services.ts';
import { type ExecutionStatus, isFinal } from '../../../executions/record/execution-status.ts';
import { type Item, json, readText, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { callbackKeyOf, callbacksOf, isExpired, toCallback } from '../execution-item.ts';
import { toUpdate } from '../execution-update.ts';
import { updateItem } from '../items.ts';
import { readRecords } from '../read-records.ts';
import type { TableNames } from '../table-names.ts';
import { translateErrors } from '../translate-error.ts';

/** Limits of one call: pages full of callbacks whose executions have ended give a short list with `hasMore`. */
const MAX_PAGES = 10;

/** Pending callbacks, by the attributes that they have in the index of executions until they are answered. */
export const createCallbackIndex = (
  client: DynamoDbClient,
  { executions: table }: Pick<TableNames, 'executions'>,
  clock: Pick<Clock, 'now'>,
): CallbackIndex => {
  /** Those of the callbacks with these keys that are pending. */
  const readPending = async (keys: readonly Item[]): Promise<readonly ListedCallback[]> => {
    const items = await readRecords(client, table, keys, [
      'executionId',
      'callback',
      'answered',
      'expiresAt',
    ]);
    const callbacks = items.filter((item) => !isExpired(item, clock.now())).map(toCallback);
    const ids = new Set(callbacks.map(({ subject }) => subject?.executionId ?? ''));
    const executions = await readRecords(
      client,
      table,
      [...ids].map((id) => ({ executionId: text(id) })),
      ['executionId', 'status'],
    );
    const open = new Set(
      executions
        .filter((item) => !isFinal(readText(item, 'status') as ExecutionStatus))
        .map((item) => readText(item, 'executionId')),
    );
    return callbacks.filter(
      (callback): callback is ListedCallback =>
        callback.answered === undefined && open.has(callback.subject?.executionId ?? ''),
    );
  };

  return {
    list: async (workflowId, limit) => {
      const found: ListedCallback[] = [];
      let next: Item | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { Items = [], LastEvaluatedKey } = await translateErrors(
          client.query({
            TableName: table,
            IndexName: 'byWorkflow',
            ScanIndexForward: false,
            Limit: limit,
            KeyConditionExpression: 'workflowId = :callbacks',
            ExpressionAttributeValues: { ':callbacks': text(callbacksOf(workflowId)) },
            ExclusiveStartKey: next,
          }),
        );
        found.push(...(await readPending(Items)));
        if (found.length > limit || LastEvaluatedKey === undefined)
          return { callbacks: found.slice(0, limit), hasMore: found.length > limit };
        next = LastEvaluatedKey;
      }
      return { callbacks: found, hasMore: true };
    },

    close: async (executionId, name, answered) => {
      const change = toUpdate({
        condition: 'attribute_exists(#executionId)',
        set: { answered: json(answered) },
        remove: LISTED,
      });
      const Key = { executionId: text(callbackKeyOf(executionId, name)) };
      await updateItem(client, { TableName: table, Key, ...change }, null);
    },
  };
};

/** The attributes of `toCallbackKeys`. */
const LISTED = ['workflowId', 'startedAt'];
