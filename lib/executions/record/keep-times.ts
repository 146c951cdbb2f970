import { isOpen } from '../../engine/open-nodes.ts';
import { type NodeRecord, nodeKeyOf } from '../../engine/result.ts';

/**
 * A run that goes on computes the records of its earlier nodes again, in no time. What was recorded when it happened
 * is the truth: it stays.
 */
export const keepTimes = (
  recorded: readonly NodeRecord[],
  computed: readonly NodeRecord[],
): readonly NodeRecord[] => {
  if (recorded.length === 0) return computed;
  const before = new Map(recorded.map((record) => [nodeKeyOf(record), record]));
  return computed.map((record) => {
    const known = before.get(nodeKeyOf(record));
    if (known === undefined) return record;
    const { startedAt } = known;
    if (!isOpen(known)) return { ...record, startedAt, durationMs: known.durationMs };
    const durationMs = isOpen(record) ? 0 : Math.max(0, record.startedAt + record.durationMs - startedAt);
    // A node that waits for its next attempt, or has run out of time, may have begun none in this process.
    return { ...record, startedAt, durationMs, attempts: Math.max(known.attempts, record.attempts) };
  });
};

/** The latest time that any of the records tells of: what comes after can't have been before. */
export const latestOf = (records: readonly NodeRecord[], start: number): number =>
  records.reduce((latest, { startedAt, durationMs }) => Math.max(latest, startedAt + durationMs), start);
