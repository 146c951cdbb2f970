import type { Slot, SlotStore } from '../../../webhooks/limits/slots.ts';
import { type Item, readNumber } from '../attributes.ts';
import { OPEN_DAYS, toExpiry } from '../executions/execution-item.ts';
import { getItem, onTable, updateItem } from '../items.ts';

/** One attribute per slot, named after its execution, and their count, so that one conditional write takes a slot. */
const SLOT = 'slot:';

/** The slots of a workflow, one item per group, in the table of the delivery claims. */
export const createSlotStore = onTable(
  'deliveries',
  (table): SlotStore => ({
    take: async ({ workflowId, group, slot, max, ended }) => {
      const own = nameOfSlot(slot);
      const names = Object.fromEntries(ended.map((other, index) => [`#ended${index}`, nameOfSlot(other)]));
      const placeholders = Object.keys(names);
      const taken = await updateItem(
        table,
        keyOfGroup(workflowId, group),
        {
          condition: [
            'attribute_not_exists(#own) AND (attribute_not_exists(#held) OR #held < :limit)',
            ...placeholders.map((name) => `attribute_exists(${name})`),
          ].join(' AND '),
          set: { expiresAt: toExpiry(slot.takenAt, OPEN_DAYS) },
          compute: { own: ':takenAt', held: 'if_not_exists(#held, :none) + :added' },
          remove: placeholders.map((name) => name.slice(1)),
          names: { '#own': own, ...names },
          values: {
            ':takenAt': slot.takenAt,
            ':none': 0,
            ':added': 1 - ended.length,
            ':limit': max + ended.length,
          },
        },
        (stored) => readNumber(stored, own) === slot.takenAt,
      );
      return taken !== null;
    },

    list: (workflowId, groups) =>
      Promise.all(
        Array.from({ length: groups }, async (_, group) =>
          toSlots((await getItem(table, keyOfGroup(workflowId, group))) ?? {}),
        ),
      ),
  }),
);

/** Earlier releases put all slots into the first group. No workflow id contains a number sign. */
const keyOfGroup = (workflowId: string, group: number) => ({
  deliveryId: `slots:${workflowId}${group === 0 ? '' : `#${group}`}`,
});

const nameOfSlot = (slot: Slot): string => `${SLOT}${slot.executionId}`;

const toSlots = (item: Item): Slot[] =>
  Object.keys(item)
    .filter((name) => name.startsWith(SLOT))
    .map((name) => ({ executionId: name.slice(SLOT.length), takenAt: readNumber(item, name) }));
