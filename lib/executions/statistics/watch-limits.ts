import type { Clock } from '@hookloom/plugin-kit';
import {
  LIMIT_SHARES,
  monthOf,
  monthStart,
  type NotedCost,
  nextMonth,
  shareOf,
  toldShare,
} from '../../workflows/definition/cost-limit.ts';
import { addUsage, costOf, noUsage, type Usage } from '../cost/usage.ts';
import { HOUR_MS, type StatisticsStore, type StreamedChange } from './statistics-store.ts';

/** The cost of a workflow has reached a share of its limit, or no longer has. */
export interface LimitNews {
  readonly workflowId: string;
  readonly share: (typeof LIMIT_SHARES)[number];
  readonly isReached: boolean;
  readonly dollars: number;
  readonly limit: number;
  /** When the month ends, in milliseconds since the epoch. */
  readonly until: number;
}

interface LimitPorts {
  readonly statistics: Pick<StatisticsStore, 'read'>;
  readonly notes: {
    /** @returns the limit of the current version, null for none, and what is noted; null if there is no such workflow */
    find(
      workflowId: string,
    ): Promise<{ readonly limit: number | null; readonly noted: NotedCost | null } | null>;
    note(workflowId: string, noted: NotedCost): Promise<void>;
  };
  readonly tell: (news: LimitNews) => Promise<void>;
  /** The AWS region whose prices are taken. */
  readonly region: string;
  readonly clock: Pick<Clock, 'now'>;
}

const DAY_MS = 24 * HOUR_MS;

/**
 * Compares what workflows with a limit cost in this month with their limits, after executions of theirs were counted. A
 * process reads the earlier days of the month once a day, and a workflow only when it reaches another share.
 *
 * @returns what checks the workflows of some changes. @throws AppError `STORE_UNAVAILABLE`
 */
export const createWatchLimits = ({ statistics, notes, tell, region, clock }: LimitPorts) => {
  const earlier = new Map<string, { readonly day: number; readonly usage: Usage }>();
  const handled = new Map<string, string>();

  const sum = async (workflowId: string, from: number, to: number): Promise<Usage> => {
    let usage = noUsage;
    if (from > to) return usage;
    for await (const { counts } of statistics.read(workflowId, from, to))
      usage = addUsage(usage, counts.usage);
    return usage;
  };

  const sumOfMonth = async (workflowId: string, now: number): Promise<number> => {
    const day = Math.floor(now / DAY_MS) * DAY_MS;
    let before = earlier.get(workflowId);
    if (before?.day !== day) {
      before = { day, usage: await sum(workflowId, monthStart(now), day - HOUR_MS) };
      earlier.set(workflowId, before);
    }
    return costOf(addUsage(before.usage, await sum(workflowId, day, now)), region);
  };

  const check = async (workflowId: string, limitAtStart: number): Promise<void> => {
    const now = clock.now();
    const dollars = await sumOfMonth(workflowId, now);
    const found = `${monthOf(now)} ${limitAtStart} ${shareOf(dollars, limitAtStart)}`;
    if (handled.get(workflowId) === found) return;
    const current = await notes.find(workflowId);
    const limit = current?.limit ?? null;
    const share = limit === null ? 0 : shareOf(dollars, limit);
    const told = limit === null ? 0 : toldShare(current?.noted ?? null, limit, now);
    const news = { workflowId, dollars, limit: limit ?? limitAtStart, until: nextMonth(now) };
    for (const one of LIMIT_SHARES)
      if (one > share) await tell({ ...news, share: one, isReached: false });
      else if (one === share && share > told) await tell({ ...news, share: one, isReached: true });
    // Noted last, so that a crash in between leads to a repetition.
    if (limit !== null && share !== 0 && share > told)
      await notes.note(workflowId, { month: monthOf(now), limit, share, dollars });
    handled.set(workflowId, found);
  };

  return async (changes: readonly StreamedChange[]): Promise<void> => {
    const limits = new Map<string, number>();
    for (const { happenings } of changes)
      for (const happening of happenings)
        if (happening.kind === 'ended' && happening.maxCost !== undefined)
          limits.set(happening.workflowId, happening.maxCost);
    for (const [workflowId, limit] of limits) await check(workflowId, limit);
  };
};
