import * as v from 'valibot';
import { QUERY_INVALID } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { idText, optional, time, word } from '../../shared/query-fields.ts';
import { describeCost, describePrices } from '../cost/describe-cost.ts';
import { toIso } from '../record/describe-execution.ts';
import type { FinalStatus } from '../record/execution-store.ts';
import { type Counts, mergeCounts, noCounts } from './counts.ts';
import { countDurations, findPercentile, type Histogram } from './histogram.ts';
import { HOUR_MS, hourOf, type StatisticsStore } from './statistics-store.ts';

export const MAX_DAYS = 31;
const DAY_MS = 24 * HOUR_MS;

/** Parts of hours that a call reads: 31 days at some 60 shards. A part is a few hundred bytes. */
const MAX_PARTS = 50_000;

/** Rows of nodes in an answer, which are about a hundred bytes each: an answer of Lambda has at most 6 MB. */
const MAX_NODE_ROWS = 25_000;

/** The query of statistics, as strings, for the admin API and the command line. */
export const statisticsQuery = v.object({
  workflowId: optional(
    idText('must be a workflow id'),
    'By default, all workflows together, without their nodes',
  ),
  /** Start of the period: its hour, or its day, is the first one; by default, a day before the end. */
  from: time,
  /** End of the period, which its last hour or day contains; by default, now. */
  to: time,
  step: v.optional(word(['hour', 'day']), 'hour'),
});

type StatisticsQuery = Readonly<v.InferOutput<typeof statisticsQuery>>;

export interface Statistics extends Readonly<Record<'started' | FinalStatus, number>> {
  /** Requests that were refused and recorded, by error code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly durationMs: Percentiles;
  /** Null if executions ended, none of which says what it used. */
  readonly cost: CostStatistics | null;
  /** By node id; absent for all workflows together. */
  readonly nodes?: Readonly<Record<string, NodeStatistics>>;
}

interface CostStatistics extends ReturnType<typeof describeCost> {
  /** How many executions that ended don't say what they used, and are not in it. */
  readonly unknown: number;
}

/** In milliseconds; null if nothing has ended. */
interface Percentiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

interface NodeStatistics {
  readonly runs: number;
  readonly failed: number;
  readonly durationMs: Percentiles;
}

/**
 * Reads the statistics of a period, in whole steps: those of the whole, and of each step that has any, in order.
 *
 * @param now - milliseconds since the epoch
 * @param region - the AWS region whose prices are taken
 * @throws AppError `QUERY_INVALID` for a period that is too long | `STORE_UNAVAILABLE`
 */
export const readStatistics = async (
  { workflowId, step, ...query }: StatisticsQuery,
  store: Pick<StatisticsStore, 'read'>,
  now: number,
  region: string,
) => {
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS;
  const to = query.to ?? now;
  const from = Math.floor((query.from ?? Math.max(0, to - DAY_MS)) / stepMs) * stepMs;
  if (from > to) throw invalidQuery('from must not be later than to');
  if (to - from > MAX_DAYS * DAY_MS) throw invalidQuery(`from and to must be at most ${MAX_DAYS} days apart`);
  const end = (Math.floor(to / stepMs) + 1) * stepMs;

  const total = noCounts();
  const steps = new Map<number, Counts>();
  let [parts, nodeRows] = [0, 0];
  for await (const { hour, counts } of store.read(workflowId, from, hourOf(end - 1))) {
    parts += 1;
    const at = Math.floor(hour / stepMs) * stepMs;
    const ofStep = steps.get(at) ?? noCounts();
    const before = ofStep.nodes.size;
    mergeCounts(ofStep, counts);
    mergeCounts(total, counts);
    steps.set(at, ofStep);
    nodeRows += ofStep.nodes.size - before;
    if (parts > MAX_PARTS || nodeRows > MAX_NODE_ROWS)
      throw invalidQuery(
        step === 'hour' && parts <= MAX_PARTS
          ? 'the period has too many nodes by hour; choose a shorter one, or step=day'
          : 'the period has too much data; choose a shorter one',
      );
  }
  const hasNodes = workflowId !== null;
  return {
    workflowId,
    step,
    from: toIso(from),
    to: toIso(end),
    prices: describePrices(region),
    total: describeCounts(total, region, hasNodes),
    steps: [...steps].map(([at, counts]) => ({
      from: toIso(at),
      ...describeCounts(counts, region, hasNodes),
    })),
  };
};

const invalidQuery = (reason: string): AppError => new AppError(QUERY_INVALID, { reason });

const describeCounts = (counts: Counts, region: string, hasNodes: boolean): Statistics => {
  const { started, succeeded, failed, timedOut, cancelled, refused, durations, nodes } = counts;
  const ofNodes = [...nodes].map(([nodeId, node]): [string, NodeStatistics] => [
    nodeId,
    {
      runs: countDurations(node.durations),
      failed: node.failed,
      durationMs: toPercentiles(node.durations),
    },
  ]);
  return {
    started,
    succeeded,
    failed,
    timedOut,
    cancelled,
    refused: Object.fromEntries([...refused].sort(([a], [b]) => (a < b ? -1 : 1))),
    durationMs: toPercentiles(durations),
    cost: costOfCounts(counts, region),
    ...(hasNodes ? { nodes: Object.fromEntries(ofNodes) } : {}),
  };
};

const costOfCounts = ({ durations, measured, usage }: Counts, region: string): CostStatistics | null => {
  const unknown = countDurations(durations) - measured;
  return measured === 0 && unknown > 0 ? null : { ...describeCost(usage, region), unknown };
};

const toPercentiles = (durations: Histogram): Percentiles => ({
  p50: findPercentile(durations, 0.5),
  p95: findPercentile(durations, 0.95),
});
