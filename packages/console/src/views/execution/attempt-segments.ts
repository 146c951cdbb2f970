import type { NodeRun } from './node-runs.ts';
import type { Period } from './time-scale.ts';

/** A part of a node run of several attempts. */
export interface Segment extends Period {
  /** `unknown` where the record lacks an attempt. */
  readonly kind: 'attempt' | 'wait' | 'unknown';
  /** The attempt, or the one that was waited for. */
  readonly attempt: number;
  readonly hasFailed: boolean;
}

/**
 * Divides a node run into its attempts and the waits between them.
 *
 * @param period - from the start of the node run to its end, or until now
 * @returns the segments in order, without gaps; empty if the record has no times: of a single attempt, or of an earlier release
 */
export const toSegments = (
  { attemptTimes = [], status }: Pick<NodeRun, 'attemptTimes' | 'status'>,
  period: Period,
): readonly Segment[] => {
  const segments: Segment[] = [];
  let at = period.from;
  let last = 0;
  const add = (kind: Segment['kind'], attempt: number, to: number, hasFailed = false): void => {
    const end = Math.min(Math.max(to, at), period.to);
    // A wait of a millisecond is rounding, since each time is rounded by itself.
    if (kind !== 'attempt' && end - at <= 1) return;
    segments.push({ kind, attempt, from: at, to: end, hasFailed });
    at = end;
  };
  for (const { attempt, startedAt, endedAt } of attemptTimes) {
    add(attempt === last + 1 && last > 0 ? 'wait' : 'unknown', attempt, Date.parse(startedAt));
    const isLast = attempt === attemptTimes.at(-1)?.attempt;
    const hasFailed = !isLast || status === 'failed' || (endedAt !== null && status !== 'succeeded');
    add('attempt', attempt, endedAt === null ? period.to : Date.parse(endedAt), hasFailed);
    last = attempt;
  }
  if (last > 0) add('wait', last + 1, period.to);
  return segments;
};
