import type { Clock } from '@hookloom/plugin-kit';

/** What is left of a second's units; below zero what was taken too much, which is missing from the next ones. */
interface Bucket {
  left: number;
}

/** Units by name that come back at so many a second; no more than those of one second are saved up. */
export const createRates = (clock: Pick<Clock, 'now'>) => {
  const buckets = new Map<string, { left: number; at: number }>();
  return (name: string, perSecond: number): Bucket => {
    const now = clock.now();
    const bucket = buckets.get(name) ?? { left: perSecond, at: now };
    buckets.set(name, bucket);
    bucket.left = Math.min(perSecond, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    return bucket;
  };
};
