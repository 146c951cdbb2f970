import type { PublishedWorkflow } from './workflow-store.ts';

/** The share of a workflow's monthly limit that its executions have cost, in percent: each is reported once. */
export const LIMIT_SHARES = [50, 80, 100] as const;

type LimitShare = (typeof LIMIT_SHARES)[number];

/** What was noted of a workflow's cost, in its item, when it reached a share of its limit. */
export interface NotedCost {
  /** The month, in UTC: `2026-11`. */
  readonly month: string;
  /** The limit that was compared, in dollars: with any other, the note says nothing. */
  readonly limit: number;
  readonly share: LimitShare;
  /** What the executions that ended in the month had cost by then, in dollars. */
  readonly dollars: number;
}

const MONTH_LENGTH = 7;

/** @param at - milliseconds since the epoch */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, MONTH_LENGTH);

/** When the month of a time begins. @returns milliseconds since the epoch */
export const monthStart = (at: number): number => Date.parse(`${monthOf(at)}-01`);

/** When the month after that of a time begins. @returns milliseconds since the epoch */
export const nextMonth = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
};

/** The highest share that is reached; 0 below the first. */
export const shareOf = (dollars: number, limit: number): LimitShare | 0 =>
  LIMIT_SHARES.findLast((share) => dollars >= (limit * share) / 100) ?? 0;

/** The share that a note gives for this month and this limit; 0 for none. */
export const toldShare = (noted: NotedCost | null, limit: number, now: number): LimitShare | 0 =>
  noted?.month === monthOf(now) && noted.limit === limit ? noted.share : 0;

/**
 * A workflow as its triggers see it while it has reached its limit: webhooks store what comes, or refuse what waits for a
 * result. Another month or another limit ends that without a write.
 */
export const holdAtLimit = (
  workflow: PublishedWorkflow,
  noted: NotedCost,
  now: number,
): PublishedWorkflow => {
  const limit = workflow.definition.settings?.maxCostPerMonth;
  if (limit === undefined || toldShare(noted, limit, now) < 100) return workflow;
  return {
    ...workflow,
    atLimit: { dollars: noted.dollars, limit: noted.limit, until: nextMonth(now) },
    pathConfigs: workflow.pathConfigs.map((config) => {
      const paused = config.responseMode === 'onReceived' ? 'store' : true;
      return { ...config, features: { paused, ...config.features } };
    }),
  };
};
