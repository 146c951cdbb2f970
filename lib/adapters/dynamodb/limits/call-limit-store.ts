import {
  type CallLimitStore,
  CLOCK_TOLERANCE_MS,
  type HeldPlace,
} from '../../../credentials/limits/call-limits.ts';
import { type Attributes, type Item, readNumber } from '../attributes.ts';
import { type Change, getItem, type IsOurs, onTable, updateItem } from '../items.ts';

/** An attribute per place: the time until which it is taken. */
const PLACE = 'place:';

/** Absent from an item of an earlier release. */
const IS_BELIEVED = '(attribute_not_exists(#startedAt) OR #startedAt <= :believed)';

const believedAt = (now: number) => ({ ':believed': now + CLOCK_TOLERANCE_MS });

/** An item is kept for this long after its last use, in seconds: longer than slots are reserved ahead. */
const LIFE_SECONDS = 2 * 86_400;

/**
 * One item per limit, in the table of the delivery claims. A slot is reserved by a conditional write, of which there are two
 * forms: one for a limit that is not in use, which starts now, and one that adds to the last slot. A write that is repeated
 * since its answer was lost wastes a slot.
 */
export const createCallLimitStore = onTable('deliveries', (table): CallLimitStore => {
  const keyOfLimit = (key: string) => ({ deliveryId: `limit:${key}` });

  /** @returns null if the condition does not hold */
  const write = (
    key: string,
    { set, ...change }: Change,
    now: number,
    isOurs: IsOurs = null,
    ReturnValues: 'UPDATED_NEW' | 'ALL_NEW' = 'UPDATED_NEW',
  ): Promise<Item | null> => {
    const expiresAt = Math.ceil(now / 1_000) + LIFE_SECONDS;
    const written: Change = { ...change, statesVersion: true, set: { ...set, expiresAt } };
    return updateItem(table, keyOfLimit(key), written, isOurs, ReturnValues);
  };

  return {
    reserve: async (key, { now, earliest = now, latest, intervalMs, knownNextAt }) => {
      const start = async (): Promise<number | null> => {
        const condition = 'attribute_not_exists(#nextAt) OR #nextAt <= :earliest';
        const set = { nextAt: earliest + intervalMs, startedAt: now };
        const started = await write(key, { condition, set, values: { ':earliest': earliest } }, now);
        return started === null ? null : earliest;
      };
      const add = async (): Promise<number | null> => {
        const added: Change = {
          condition: `#nextAt > :earliest AND #nextAt <= :latest AND ${IS_BELIEVED}`,
          compute: { nextAt: '#nextAt + :interval' },
          values: {
            ':earliest': earliest,
            ':latest': latest,
            ':interval': intervalMs,
            ...believedAt(now),
          },
        };
        const written = await write(key, added, now);
        return written === null ? null : readNumber(written, 'nextAt') - intervalMs;
      };
      // In this order, since a limit in use stays in use for the same time: if the second is refused as well, it is full.
      const isInUse = knownNextAt !== null && knownNextAt > earliest;
      const added = isInUse ? await add() : null;
      return added ?? (await start()) ?? (isInUse ? null : await add());
    },

    find: async (key) => {
      const item = (await getItem(table, keyOfLimit(key))) ?? {};
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
          condition: `(${free}) AND (attribute_not_exists(#pausedUntil) OR #pausedUntil <= :now OR NOT ${IS_BELIEVED})`,
          compute: { place: ':until' },
          names: { '#place': name },
          values: { ':now': now, ':until': place.until, ...believedAt(now) },
        },
        now,
        (stored) => readNumber(stored, name) === place.until,
        'ALL_NEW',
      );
      return entered === null ? null : { held: readHeld(entered) };
    },

    leave: async (key, place, held) => {
      await updateItem(table, keyOfLimit(key), {
        condition: '#place = :until',
        set: held === null ? {} : { heldMs: held.ms, heldAt: held.at },
        remove: ['place'],
        names: { '#place': `${PLACE}${place.number}` },
        values: { ':until': place.until },
      });
    },

    pause: async (key, until, now) => {
      const values: Attributes = { ':until': until, ...believedAt(now) };
      const moved: Change = {
        condition: `attribute_not_exists(#nextAt) OR #nextAt < :until OR NOT ${IS_BELIEVED}`,
        set: { nextAt: until, pausedUntil: until, startedAt: now },
        values,
      };
      if ((await write(key, moved, until)) !== null) return;
      const condition = `(attribute_not_exists(#pausedUntil) OR #pausedUntil < :until) AND ${IS_BELIEVED}`;
      await write(key, { condition, set: { pausedUntil: until }, values }, until);
    },
  };
});

/** Absent from an item of an earlier release, and until a call has left its place. */
const readHeld = (item: Item): HeldPlace | null =>
  item.heldMs === undefined ? null : { ms: readNumber(item, 'heldMs'), at: readNumber(item, 'heldAt') };
