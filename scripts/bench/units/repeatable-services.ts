import { createHash } from 'node:crypto';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import type { Services } from '../../../lib/contract/services.ts';

const NOW = Date.UTC(2026, 0, 1);

/**
 * A clock that stands still, and ids in the same order: with the digits of a duration, or an id that compresses better than
 * another one, an item could be on the other side of a unit's boundary now and then.
 */
export const createRepeatableServices = (): Pick<Services, 'clock' | 'ids'> => {
  let count = 0;
  return {
    clock: { now: () => NOW, sleep: systemClock.sleep },
    ids: { next: () => toUuid(createHash('sha256').update(String(count++)).digest('hex')) },
  };
};

/** In the form of a random UUID, and as hard to compress. */
const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
