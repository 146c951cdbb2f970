import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { readStatistics, statisticsQuery } from '../executions/statistics/read-statistics.ts';
import type { StatisticsStore } from '../executions/statistics/statistics-store.ts';
import type { NoticeStore } from '../health/notices/notice.ts';
import { answerRoute, defineRoute } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { described, instant } from './answers.ts';
import { cost, prices } from './cost-answers.ts';
import { listNotices, listNoticesRoute } from './notices.ts';

const milliseconds = described(
  v.object({ p50: v.nullable(v.number()), p95: v.nullable(v.number()) }),
  'Percentiles, within 5 %; null if nothing has ended',
);

const counted = v.object({
  started: v.number(),
  succeeded: v.number(),
  failed: v.number(),
  timedOut: v.number(),
  cancelled: v.number(),
  refused: described(v.record(v.string(), v.number()), 'Refused requests on record, by error code'),
  durationMs: milliseconds,
  cost: described(
    v.nullable(v.object({ ...cost.entries, unknown: v.number() })),
    'Without the `unknown` executions, whose records do not say what they used; null if all are',
  ),
  nodes: v.optional(
    described(
      v.record(v.string(), v.object({ runs: v.number(), failed: v.number(), durationMs: milliseconds })),
      'By node id; absent for all workflows together',
    ),
  ),
});

export const statistics = v.object({
  workflowId: v.nullable(v.string()),
  step: v.picklist(['hour', 'day']),
  from: instant,
  to: described(instant, 'Where the last hour or day ends'),
  prices,
  total: counted,
  steps: described(
    v.array(v.object({ from: instant, ...counted.entries })),
    'The hours or days in which something was counted, in order',
  ),
  timestamp: instant,
});

export const showStatisticsRoute = defineRoute({
  route: 'GET /api/admin/statistics',
  summary: 'how many executions started and ended, how long they took and what they cost, by hour or by day',
  query: statisticsQuery,
  answers: { 200: statistics },
});

/**
 * `GET /api/admin/statistics`: how many executions started and ended, how long they took and what they cost.
 * `GET /api/admin/notices`: what is wrong now.
 */
export const createShowStatistics = (parts: {
  readonly statistics: StatisticsStore;
  readonly notices: Pick<NoticeStore, 'list'>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The AWS region whose prices are taken. */
  readonly region: string;
}) =>
  serveRoutes(parts, [
    answerRoute(showStatisticsRoute, async ({ query }) => {
      const now = parts.clock.now();
      const page = await readStatistics(query, parts.statistics, now, parts.region);
      return answerJson(200, { ...page, timestamp: new Date(now).toISOString() });
    }),
    answerRoute(listNoticesRoute, async () => {
      const timestamp = new Date(parts.clock.now()).toISOString();
      return answerJson(200, { ...(await listNotices(parts.notices)), timestamp });
    }),
  ]);
