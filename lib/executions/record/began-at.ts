import type { ExecutionRecord } from './execution-store.ts';

/**
 * From when the time limits of a background run count, in milliseconds since the epoch: from its request, or from its release
 * if it was held.
 */
export const beganAt = ({
  startedAt,
  releasedAt,
}: Pick<ExecutionRecord, 'startedAt' | 'releasedAt'>): number => releasedAt ?? startedAt;
