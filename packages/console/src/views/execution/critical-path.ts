import { hasRun, type NodeRun, type RunBranch, type RunItem, toTree } from './node-runs.ts';

export interface Edge {
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
}

/** Starts and durations are rounded to milliseconds, each by itself. */
const ROUNDING_MS = 2;

export const startOf = ({ startedAt }: NodeRun): number => Date.parse(startedAt);

const endOf = (run: NodeRun): number => startOf(run) + run.durationMs;

const latest = <Item>(items: readonly Item[], end: (item: Item) => number): Item | null =>
  items.reduce<Item | null>(
    (found, item) => (found === null || end(item) >= end(found) ? item : found),
    null,
  );

/**
 * The node runs that decided when an execution ended, by key: the one that ended last, of those that it waited for the one
 * that ended last, and so on to the trigger. A body that waited for another one to end continues with that.
 *
 * @param edges - connections of the version that ran; runs of other workflows have none here, and are not looked into
 */
export const findCriticalPath = (runs: readonly NodeRun[], edges: readonly Edge[]): ReadonlySet<string> => {
  const path = new Set<string>();
  const sourcesOf = Map.groupBy(edges, ({ targetNodeId }) => targetNodeId);

  const follow = (branches: readonly RunBranch[]): number => {
    const ran = branches.filter(({ run }) => hasRun(run));
    let current = latest(ran, ({ run }) => endOf(run));
    let start = Number.POSITIVE_INFINITY;
    while (current !== null && !path.has(current.key)) {
      const { key, run, items } = current;
      path.add(key);
      start = startOf(run);
      if (run.type !== 'subworkflow') followItems(items);
      const sources = (sourcesOf.get(run.nodeId) ?? []).map(({ sourceNodeId }) => sourceNodeId);
      const before: readonly RunBranch[] = ran.filter(
        (one) =>
          sources.includes(one.run.nodeId) && !path.has(one.key) && endOf(one.run) <= start + ROUNDING_MS,
      );
      current = latest(before, ({ run: one }) => endOf(one));
    }
    return start;
  };

  const followItems = (items: readonly RunItem[]): void => {
    const ends = new Map(
      items.map((item) => [item, Math.max(...item.branches.map(({ run }) => endOf(run)))] as const),
    );
    const endOfItem = (item: RunItem) => ends.get(item) ?? 0;
    let left = items.filter(({ branches }) => branches.some(({ run }) => hasRun(run)));
    let current = latest(left, endOfItem);
    while (current !== null) {
      const item: RunItem = current;
      const start = follow(item.branches);
      left = left.filter((one) => one !== item && endOfItem(one) <= start + ROUNDING_MS);
      current = latest(left, endOfItem);
    }
  };

  follow(toTree(runs));
  return path;
};

/**
 * When a node could have started, by key: when the last of those that it waited for ended, or when its body was opened.
 *
 * @param opened - when the execution was accepted, in milliseconds since the epoch
 * @param edges - as for {@link findCriticalPath}
 */
export const findReadyTimes = (
  runs: readonly NodeRun[],
  edges: readonly Edge[],
  opened: number,
): ReadonlyMap<string, number> => {
  const sourcesOf = Map.groupBy(edges, ({ targetNodeId }) => targetNodeId);
  const times = new Map<string, number>();
  const visit = (branches: readonly RunBranch[], from: number): void => {
    const byNode = Map.groupBy(branches, ({ run }) => run.nodeId);
    for (const { key, run, items } of branches) {
      const start = startOf(run);
      const ends = (sourcesOf.get(run.nodeId) ?? [])
        .flatMap(({ sourceNodeId }) => byNode.get(sourceNodeId) ?? [])
        .filter((source) => hasRun(source.run))
        .map((source) => endOf(source.run))
        .filter((end) => end <= start + ROUNDING_MS);
      const ready = ends.length > 0 ? Math.max(...ends) : from;
      if (hasRun(run)) times.set(key, Math.min(ready, start));
      if (run.type !== 'subworkflow') for (const { branches: inner } of items) visit(inner, start);
    }
  };
  visit(toTree(runs), opened);
  return times;
};
