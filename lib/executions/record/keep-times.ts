import { isOpen, type NodeRecord, nodeKeyOf } from '../../engine/result.ts';

/** Keeps recorded times, since a replay computes the records of earlier nodes again, with times of its own. */
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
    // A node that waits for its next attempt, or has timed out, may have started none in this process.
    return { ...record, startedAt, durationMs, attempts: Math.max(known.attempts, record.attempts) };
  });
};

/** @returns the latest recorded time, milliseconds since the epoch */
export const latestTimeOf = (records: readonly NodeRecord[], start: number): number =>
  records.reduce((latest, { startedAt, durationMs }) => Math.max(latest, startedAt + durationMs), start);
