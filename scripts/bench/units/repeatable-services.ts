import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Clock, Services } from '@hookloom/plugin-kit';

/** Later than the stores' clock, so that nothing in a run expires. */
const FAR_AHEAD = Date.UTC(2100, 0, 1);

/**
 * A frozen clock and ids in a fixed order: otherwise the digits of a duration, or an id that compresses better, could
 * occasionally move an item across a unit boundary.
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

/** Looks like a random UUID and is equally hard to compress. */
const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
