import type { Slot, SlotStore } from '../../../webhooks/limits/slots.ts';
import { type Item, number, readNumber, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { OPEN_DAYS, toExpiry } from '../executions/execution-item.ts';
import { getItem, updateItem } from '../items.ts';
import { STATES_VERSION, WRITTEN } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';

/** An attribute for each slot, named by its execution, and their count, so that one conditional write takes one. */
const SLOT = 'slot:';

/** The slots of a workflow: one item beside the claims of deliveries. */
export const createSlotStore = (
  client: DynamoDbClient,
  { deliveries }: Pick<TableNames, 'deliveries'>,
): SlotStore => ({
  take: async ({ workflowId, slot, max, ended }) => {
    const at = { TableName: deliveries, Key: { deliveryId: text(`slots:${workflowId}`) } };
    const names = Object.fromEntries(ended.map((other, index) => [`#ended${index}`, nameOf(other)]));
    const taken = await updateItem(
      client,
      {
        ...at,
        ConditionExpression: [
          'attribute_not_exists(#own) AND (attribute_not_exists(held) OR held < :limit)',
          ...Object.keys(names).map((name) => `attribute_exists(${name})`),
        ].join(' AND '),
        UpdateExpression: [
          `SET #own = :takenAt, held = if_not_exists(held, :none) + :added, expiresAt = :expiresAt, ${STATES_VERSION}`,
          ...(ended.length === 0 ? [] : [`REMOVE ${Object.keys(names).join(', ')}`]),
        ].join(' '),
        ExpressionAttributeNames: { '#own': nameOf(slot), '#schema': 'schema', ...names },
        ExpressionAttributeValues: {
          ':schema': WRITTEN.schema,
          ':takenAt': number(slot.takenAt),
          ':none': number(0),
          ':added': number(1 - ended.length),
          ':limit': number(max + ended.length),
          ':expiresAt': number(toExpiry(slot.takenAt, OPEN_DAYS)),
        },
      },
      (stored) => readNumber(stored, nameOf(slot)) === slot.takenAt,
    );
    if (taken !== null) return null;
    return toSlots((await getItem(client, { ...at, ConsistentRead: true })) ?? {});
  },
});

const nameOf = (slot: Slot): string => `${SLOT}${slot.executionId}`;

const toSlots = (item: Item): Slot[] =>
  Object.keys(item)
    .filter((name) => name.startsWith(SLOT))
    .map((name) => ({ executionId: name.slice(SLOT.length), takenAt: readNumber(item, name) }));
