import { type Segment, toSegments } from './attempt-segments.ts';
import { type Edge, findReadyTimes, startOf } from './critical-path.ts';
import { hasRun, isOpen, type NodeRun, type RunBranch, type RunItem, toTree } from './node-runs.ts';
import { createTimeScale, type Period } from './time-scale.ts';

/** A row of the timeline: a node run, or a body with several. */
export interface TimelineRow {
  readonly key: string;
  /** 0 for the workflow's own nodes. */
  readonly depth: number;
  /** Null for a body. */
  readonly run: NodeRun | null;
  readonly item: RunItem | null;
  readonly canUnfold: boolean;
  readonly isUnfolded: boolean;
  /** Null for what was skipped. */
  readonly bar: Bar | null;
}

export interface Bar extends Period {
  /** Since when it could have started; null if that is not known, or not earlier. */
  readonly queuedSince: number | null;
  readonly isWait: boolean;
  /** Whether it consists of what is inside of it. */
  readonly isContainer: boolean;
  /** Its attempts and the waits between them; empty for a single attempt. */
  readonly segments: readonly Segment[];
}

export type Timeline = ReturnType<typeof createTimeline>;

interface TimelineInput {
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
  readonly runs: readonly NodeRun[];
  readonly edges: readonly Edge[];
  /** Keys of the rows that are unfolded. */
  readonly unfolded: ReadonlySet<string>;
  readonly now: number;
}

const WAITING_TYPES: readonly string[] = ['wait', 'approval'];

const isWaiting = ({ type, status, why }: NodeRun): boolean =>
  status === 'waiting' ||
  WAITING_TYPES.includes(type) ||
  (why?.until !== undefined && why.attempt === undefined);

/** Arranges the runs of an execution as rows with bars, on one scale. */
export const createTimeline = (input: TimelineInput) => {
  const { startedAt, endedAt, runs, edges, unfolded, now } = input;
  const tree = toTree(runs);
  const ready = findReadyTimes(runs, edges, startedAt);
  const periodOf = (run: NodeRun): Period => {
    const from = startOf(run);
    return { from, to: isOpen(run) ? Math.max(now, from) : from + run.durationMs };
  };
  const busy: Period[] = [];
  const collect = ({ run, items }: RunBranch): void => {
    if (items.length > 0) for (const { branches } of items) branches.forEach(collect);
    else if (hasRun(run)) {
      const segments = toSegments(run, periodOf(run));
      if (segments.length > 0) busy.push(...segments.filter(({ kind }) => kind !== 'wait'));
      else if (!isWaiting(run)) busy.push(periodOf(run));
    }
  };
  tree.forEach(collect);
  const ends = runs.filter(hasRun).map((run) => periodOf(run).to);
  const to = ends.reduce((a, b) => Math.max(a, b), endedAt ?? Math.max(now, startedAt));
  const whole = { from: startedAt, to: Math.max(to, startedAt + 1) };

  const toBar = ({ key, run, items }: RunBranch): Bar | null => {
    if (!hasRun(run)) return null;
    const since = ready.get(key);
    const period = periodOf(run);
    return {
      ...period,
      queuedSince: since !== undefined && since < period.from ? since : null,
      isWait: items.length === 0 && isWaiting(run),
      isContainer: items.length > 0,
      segments: items.length > 0 ? [] : toSegments(run, period),
    };
  };
  const toItemBar = ({ branches }: RunItem): Bar | null => {
    const periods = branches.filter(({ run }) => hasRun(run)).map(({ run }) => periodOf(run));
    if (periods.length === 0) return null;
    return {
      from: periods.reduce((min, { from }) => Math.min(min, from), Number.POSITIVE_INFINITY),
      to: periods.reduce((max, period) => Math.max(max, period.to), 0),
      queuedSince: null,
      isWait: false,
      isContainer: true,
      segments: [],
    };
  };
  const rows: TimelineRow[] = [];
  const addBranch = (branch: RunBranch, depth: number): void => {
    const { key, run, items } = branch;
    const isUnfolded = items.length > 0 && unfolded.has(key);
    const bar = toBar(branch);
    rows.push({ key, depth, run, item: null, canUnfold: items.length > 0, isUnfolded, bar });
    if (!isUnfolded) return;
    const [only] = items;
    // A row for the only body would say nothing.
    if (run.type !== 'forEach' && items.length === 1) {
      for (const inner of only?.branches ?? []) addBranch(inner, depth + 1);
      return;
    }
    for (const item of items) addItem(item, depth + 1);
  };
  const addItem = (item: RunItem, depth: number): void => {
    const isUnfolded = unfolded.has(item.within);
    rows.push({
      key: item.within,
      depth,
      run: null,
      item,
      canUnfold: true,
      isUnfolded,
      bar: toItemBar(item),
    });
    if (isUnfolded) for (const inner of item.branches) addBranch(inner, depth + 1);
  };
  for (const branch of tree) addBranch(branch, 0);
  return { rows, scale: createTimeScale(whole, busy), whole };
};
