import type { Slot, SlotStore } from '../../../webhooks/limits/slots.ts';
import { type Item, number, readNumber, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { OPEN_DAYS, toExpiry } from '../executions/execution-item.ts';
import { getItem, updateItem } from '../items.ts';
import { STATES_VERSION, WRITTEN } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';

/** One attribute per slot, named after its execution, and their count, so that one conditional write takes a slot. */
const SLOT = 'slot:';

/** The slots of a workflow, one item per group, in the table of the delivery claims. */
export const createSlotStore = (
  client: DynamoDbClient,
  { deliveries }: Pick<TableNames, 'deliveries'>,
): SlotStore => {
  const at = (workflowId: string, group: number) => ({
    TableName: deliveries,
    Key: { deliveryId: text(keyOf(workflowId, group)) },
  });

  return {
    take: async ({ workflowId, group, slot, max, ended }) => {
      const names = Object.fromEntries(ended.map((other, index) => [`#ended${index}`, nameOf(other)]));
      const taken = await updateItem(
        client,
        {
          ...at(workflowId, group),
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
      return taken !== null;
    },

    list: (workflowId, groups) =>
      Promise.all(
        Array.from({ length: groups }, async (_, group) =>
          toSlots((await getItem(client, { ...at(workflowId, group), ConsistentRead: true })) ?? {}),
        ),
      ),
  };
};

/** Earlier releases put all slots into the first group. No workflow id contains a number sign. */
const keyOf = (workflowId: string, group: number): string =>
  `slots:${workflowId}${group === 0 ? '' : `#${group}`}`;

const nameOf = (slot: Slot): string => `${SLOT}${slot.executionId}`;

const toSlots = (item: Item): Slot[] =>
  Object.keys(item)
    .filter((name) => name.startsWith(SLOT))
    .map((name) => ({ executionId: name.slice(SLOT.length), takenAt: readNumber(item, name) }));
