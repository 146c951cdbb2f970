import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Clock, Services } from '@hookloom/plugin-kit';

/** Later than the clock of the stores, so that nothing of a run expires. */
const FAR_AHEAD = Date.UTC(2100, 0, 1);

/**
 * A clock that stands still, and ids in the same order: with the digits of a duration, or an id that compresses better than
 * another one, an item could be on the other side of a unit's boundary now and then.
 */
export const createRepeatableServices = (): Pick<Services, 'clock' | 'ids'> => {
  let count = 0;
  return {
    clock: { now: () => FAR_AHEAD, sleep: sleepForever },
    ids: { next: () => toUuid(createHash('sha256').update(String(count++)).digest('hex')) },
  };
};

/** A run on a slow machine writes no progress in between. */
const sleepForever: Clock['sleep'] = async (_ms, signal = new AbortController().signal) => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};

/** In the form of a random UUID, and as hard to compress. */
const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
