import type { Answer } from '../../api/routes.ts';

type Statistics = Answer<'GET /api/admin/statistics'>;

/** What ended in an hour. */
export interface Hour {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly succeeded: number;
  /** Those that timed out are among them. */
  readonly failed: number;
  readonly cancelled: number;
}

const HOUR_MS = 3_600_000;

/** Every hour of the period in order, also those in which nothing ended, which the statistics leave out. */
export const toHours = ({ from, to, steps }: Pick<Statistics, 'from' | 'to' | 'steps'>): readonly Hour[] => {
  const counted = new Map(steps.map((step) => [Date.parse(step.from), step]));
  const first = Date.parse(from);
  const length = Math.max(0, Math.round((Date.parse(to) - first) / HOUR_MS));
  return Array.from({ length }, (_, index) => {
    const start = first + index * HOUR_MS;
    const { succeeded = 0, failed = 0, timedOut = 0, cancelled = 0 } = counted.get(start) ?? {};
    return { from: start, succeeded, failed: failed + timedOut, cancelled };
  });
};

/** The failure of an execution, as its record has it. */
export interface Failed {
  readonly executionId: string;
  readonly workflowId: string;
  readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string } | null;
  /** The credential for which a person has to sign in again; absent if that is not why. */
  readonly signIn?: string;
}

/** The causes of failures: a workflow, node and name; the most frequent one first. @param failures - the latest first */
export const groupByCause = (failures: readonly Failed[]) => {
  const named = failures.map(({ failure, ...failed }) => {
    const nodeId = failure?.nodeId ?? null; // null if the record does not say where it failed
    const name = failure?.name ?? 'Not recorded';
    const key = JSON.stringify([failed.workflowId, nodeId, name]);
    return { ...failed, key, nodeId, name, message: failure?.message ?? '' };
  });
  const causes = Map.groupBy(named, ({ key }) => key);
  return named
    .filter((one) => causes.get(one.key)?.[0] === one)
    .map((latest) => ({ ...latest, count: causes.get(latest.key)?.length ?? 0 }))
    .sort((one, other) => other.count - one.count);
};
