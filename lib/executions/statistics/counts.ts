import type { NodeRecord } from '../../engine/result.ts';
import { addUsage, billedNames, noUsage, type Usage } from '../cost/usage.ts';
import type { FinalStatus } from '../record/execution-store.ts';
import { addDuration, fromNumbers, type Histogram, mergeHistogram, toNumbers } from './histogram.ts';

/** Something that happened once to an execution or a request, and is counted once. */
export type Happening = {
  readonly workflowId: string;
  /** When it happened, in milliseconds since the epoch: the hour in which it is counted. */
  readonly at: number;
} & (
  | { readonly kind: 'started' }
  /** An accepted execution that was withdrawn, because it could not be dispatched. */
  | { readonly kind: 'withdrawn' }
  | {
      readonly kind: 'ended';
      readonly status: FinalStatus;
      /** From the start of the execution to its end, waits included, in milliseconds. */
      readonly durationMs: number;
      readonly nodes: readonly Pick<NodeRecord, 'nodeId' | 'status' | 'durationMs'>[];
      /** What it used; null if its record does not say. */
      readonly usage: Usage | null;
      /** The monthly limit of its workflow, in dollars; absent for none. */
      readonly maxCost?: number;
    }
  | { readonly kind: 'refused'; readonly code: string }
);

/** What happened within a time. */
export interface Counts extends Record<'started' | FinalStatus, number> {
  /** Requests that were refused, by error code. */
  readonly refused: Map<string, number>;
  /** Durations of the ended executions. */
  readonly durations: Histogram;
  readonly nodes: Map<string, NodeCounts>;
  /** How many of the ended executions say what they used: those of earlier releases don't. */
  measured: number;
  /** What those used. */
  usage: Usage;
}

interface NodeCounts {
  failed: number;
  /** Durations of its runs, failed ones included. */
  readonly durations: Histogram;
}

/** Nodes of a workflow that are counted separately in an hour: those that run first. */
const MAX_NODES = 100;

export const noCounts = (): Counts => ({
  started: 0,
  succeeded: 0,
  failed: 0,
  timedOut: 0,
  cancelled: 0,
  refused: new Map(),
  durations: new Map(),
  nodes: new Map(),
  measured: 0,
  usage: noUsage,
});

/** Counts what happened. @param hasNodes - whether nodes are counted separately */
export const countHappening = (counts: Counts, happening: Happening, hasNodes: boolean): void => {
  switch (happening.kind) {
    case 'started':
      counts.started += 1;
      return;
    case 'withdrawn':
      counts.started -= 1;
      return;
    case 'refused':
      counts.refused.set(happening.code, (counts.refused.get(happening.code) ?? 0) + 1);
      return;
    case 'ended':
      counts[happening.status] += 1;
      addDuration(counts.durations, happening.durationMs);
      if (happening.usage !== null) {
        counts.measured += 1;
        counts.usage = addUsage(counts.usage, happening.usage);
      }
      if (hasNodes) for (const node of happening.nodes) countNode(counts.nodes, node);
  }
};

type NodeRun = Pick<NodeRecord, 'nodeId' | 'status' | 'durationMs'>;

/** Counts a run of a node. A node that was skipped, or passed its input through, has not run. */
const countNode = (nodes: Counts['nodes'], { nodeId, status, durationMs }: NodeRun): void => {
  if (status !== 'succeeded' && status !== 'failed') return;
  const counts = openNode(nodes, nodeId);
  if (counts === null) return;
  addDuration(counts.durations, durationMs);
  if (status === 'failed') counts.failed += 1;
};

const openNode = (nodes: Counts['nodes'], nodeId: string): NodeCounts | null => {
  const known = nodes.get(nodeId);
  if (known !== undefined || nodes.size >= MAX_NODES) return known ?? null;
  const made = { failed: 0, durations: new Map() };
  nodes.set(nodeId, made);
  return made;
};

const NUMBERS = ['started', 'succeeded', 'failed', 'timedOut', 'cancelled'] as const;

export const mergeCounts = (into: Counts, other: Counts): void => {
  for (const name of NUMBERS) into[name] += other[name];
  for (const [code, times] of other.refused) into.refused.set(code, (into.refused.get(code) ?? 0) + times);
  mergeHistogram(into.durations, other.durations);
  into.measured += other.measured;
  into.usage = addUsage(into.usage, other.usage);
  for (const [nodeId, { failed, durations }] of other.nodes) {
    const node = openNode(into.nodes, nodeId);
    if (node === null) continue;
    node.failed += failed;
    mergeHistogram(node.durations, durations);
  }
};

/** Counts as JSON: short, since a write is billed by its size. */
interface StoredCounts {
  /** In the order of {@link NUMBERS}. */
  readonly n: readonly number[];
  readonly d: readonly number[];
  /** {@link Counts.measured}, then what was billed in the order of {@link billedNames}, then micro-dollars. */
  readonly u?: readonly number[];
  readonly t?: Usage['tokens'];
  readonly refused?: readonly (readonly [code: string, times: number])[];
  readonly nodes?: readonly (readonly [nodeId: string, failed: number, durations: readonly number[]])[];
}

export const packCounts = (counts: Counts): StoredCounts => ({
  n: NUMBERS.map((name) => counts[name]),
  d: toNumbers(counts.durations),
  ...packUsage(counts),
  ...(counts.refused.size === 0 ? {} : { refused: [...counts.refused] }),
  ...(counts.nodes.size === 0
    ? {}
    : {
        nodes: [...counts.nodes].map(
          ([nodeId, { failed, durations }]) => [nodeId, failed, toNumbers(durations)] as const,
        ),
      }),
});

/** Decimals of what is stored, which sums of fractions would have more of. */
const DECIMALS = 4;

const round = (value: number): number => Number(value.toFixed(DECIMALS));

const packUsage = ({ measured, usage }: Counts): Pick<StoredCounts, 'u' | 't'> => {
  if (measured === 0) return {};
  const { billed, microDollars, tokens } = usage;
  const u = [measured, ...billedNames.map((name) => billed[name]), microDollars].map(round);
  return Object.keys(tokens).length === 0 ? { u } : { u, t: tokens };
};

const unpackUsage = ({ u, t = {} }: Pick<StoredCounts, 'u' | 't'>): Pick<Counts, 'measured' | 'usage'> => {
  if (u === undefined) return { measured: 0, usage: noUsage };
  const billed = Object.fromEntries(billedNames.map((name, at) => [name, u[at + 1] ?? 0]));
  const microDollars = u[billedNames.length + 1] ?? 0;
  return {
    measured: u[0] ?? 0,
    usage: { billed: billed as Usage['billed'], microDollars, tokens: t },
  };
};

export const unpackCounts = ({ n, d, refused = [], nodes = [], ...used }: StoredCounts): Counts => {
  const [started = 0, succeeded = 0, failed = 0, timedOut = 0, cancelled = 0] = n;
  return {
    started,
    succeeded,
    failed,
    timedOut,
    cancelled,
    refused: new Map(refused),
    durations: fromNumbers(d),
    ...unpackUsage(used),
    nodes: new Map(
      nodes.map(([nodeId, failures, durations]) => [
        nodeId,
        { failed: failures, durations: fromNumbers(durations) },
      ]),
    ),
  };
};
