import {
  type CallLimitStore,
  CLOCK_TOLERANCE_MS,
  type HeldPlace,
} from '../../../credentials/limits/call-limits.ts';
import { type Item, number, readNumber, text } from '../attributes.ts';
import type { DynamoDbClient } from '../client.ts';
import { getItem, type IsOurs, updateItem } from '../items.ts';
import { STATES_VERSION, WRITTEN } from '../schema/schema.ts';
import type { TableNames } from '../table-names.ts';

/** An attribute per place: the time until which it is taken. */
const PLACE = 'place:';

/** Absent from an item of an earlier release. */
const IS_BELIEVED = '(attribute_not_exists(startedAt) OR startedAt <= :believed)';

const believedAt = (now: number) => ({ ':believed': now + CLOCK_TOLERANCE_MS });

/** An item is kept for this long after its last use, in seconds: longer than slots are reserved ahead. */
const LIFE_SECONDS = 2 * 86_400;

/**
 * One item per limit, in the table of the delivery claims. A slot is reserved by a conditional write, of which there are two
 * forms: one for a limit that is not in use, which starts now, and one that adds to the last slot. A write that is repeated
 * since its answer was lost wastes a slot.
 */
export const createCallLimitStore = (
  client: DynamoDbClient,
  { deliveries: TableName }: Pick<TableNames, 'deliveries'>,
): CallLimitStore => {
  const at = (key: string) => ({ TableName, Key: { deliveryId: text(`limit:${key}`) } });

  /** @returns null if the condition does not hold */
  const write = (
    key: string,
    { condition, set, values }: { condition: string; set: string; values: Readonly<Record<string, number>> },
    now: number,
    names: Readonly<Record<string, string>> = {},
    isOurs: IsOurs = null,
    ReturnValues: 'UPDATED_NEW' | 'ALL_NEW' = 'UPDATED_NEW',
  ): Promise<Item | null> =>
    updateItem(
      client,
      {
        ...at(key),
        ConditionExpression: condition,
        UpdateExpression: `SET ${set}, expiresAt = :expiresAt, ${STATES_VERSION}`,
        ExpressionAttributeNames: { '#schema': 'schema', ...names },
        ExpressionAttributeValues: {
          ':schema': WRITTEN.schema,
          ':expiresAt': number(Math.ceil(now / 1_000) + LIFE_SECONDS),
          ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, number(value)])),
        },
        ReturnValues,
      },
      isOurs,
    );

  return {
    reserve: async (key, { now, earliest = now, latest, intervalMs, knownNextAt }) => {
      const start = async (): Promise<number | null> => {
        const condition = 'attribute_not_exists(nextAt) OR nextAt <= :earliest';
        const values = { ':earliest': earliest, ':next': earliest + intervalMs, ':now': now };
        const set = 'nextAt = :next, startedAt = :now';
        return (await write(key, { condition, set, values }, now)) === null ? null : earliest;
      };
      const add = async (): Promise<number | null> => {
        const condition = `nextAt > :earliest AND nextAt <= :latest AND ${IS_BELIEVED}`;
        const values = {
          ':earliest': earliest,
          ':latest': latest,
          ':interval': intervalMs,
          ...believedAt(now),
        };
        const written = await write(key, { condition, set: 'nextAt = nextAt + :interval', values }, now);
        return written === null ? null : readNumber(written, 'nextAt') - intervalMs;
      };
      // In this order, since a limit in use stays in use for the same time: if the second is refused as well, it is full.
      const isInUse = knownNextAt !== null && knownNextAt > earliest;
      const added = isInUse ? await add() : null;
      return added ?? (await start()) ?? (isInUse ? null : await add());
    },

    find: async (key) => {
      const item = (await getItem(client, { ...at(key), ConsistentRead: true })) ?? {};
      const places = Object.keys(item)
        .filter((name) => name.startsWith(PLACE))
        .map((name) => [Number(name.slice(PLACE.length)), readNumber(item, name)] as const);
      return {
        nextAt: readNumber(item, 'nextAt', 0),
        startedAt: readNumber(item, 'startedAt', 0),
        pausedUntil: readNumber(item, 'pausedUntil', 0),
        places: new Map(places),
        held: readHeld(item),
      };
    },

    enter: async (key, place, now) => {
      const name = `${PLACE}${place.number}`;
      const free = 'attribute_not_exists(#place) OR #place <= :now';
      const entered = await write(
        key,
        {
          condition: `(${free}) AND (attribute_not_exists(pausedUntil) OR pausedUntil <= :now OR NOT ${IS_BELIEVED})`,
          set: '#place = :until',
          values: { ':now': now, ':until': place.until, ...believedAt(now) },
        },
        now,
        { '#place': name },
        (stored) => readNumber(stored, name) === place.until,
        'ALL_NEW',
      );
      return entered === null ? null : { held: readHeld(entered) };
    },

    leave: async (key, place, held) => {
      await updateItem(
        client,
        {
          ...at(key),
          ConditionExpression: '#place = :until',
          UpdateExpression: `REMOVE #place${held === null ? '' : ' SET heldMs = :ms, heldAt = :at'}`,
          ExpressionAttributeNames: { '#place': `${PLACE}${place.number}` },
          ExpressionAttributeValues: {
            ':until': number(place.until),
            ...(held === null ? {} : { ':ms': number(held.ms), ':at': number(held.at) }),
          },
        },
        null,
      );
    },

    pause: async (key, until, now) => {
      const values = { ':until': until, ...believedAt(now) };
      const moved = await write(
        key,
        {
          condition: `attribute_not_exists(nextAt) OR nextAt < :until OR NOT ${IS_BELIEVED}`,
          set: 'nextAt = :until, pausedUntil = :until, startedAt = :now',
          values: { ...values, ':now': now },
        },
        until,
      );
      if (moved !== null) return;
      const condition = `(attribute_not_exists(pausedUntil) OR pausedUntil < :until) AND ${IS_BELIEVED}`;
      await write(key, { condition, set: 'pausedUntil = :until', values }, until);
    },
  };
};

/** Absent from an item of an earlier release, and until a call has left its place. */
const readHeld = (item: Item): HeldPlace | null =>
  item.heldMs === undefined ? null : { ms: readNumber(item, 'heldMs'), at: readNumber(item, 'heldAt') };
