import * as v from 'valibot';
import { defineRoute } from '../../http/api-route.ts';
import { statisticsQuery } from '../../statistics/read-statistics.ts';
import { instant } from './answers.ts';

const milliseconds = v.pipe(
  v.object({ p50: v.nullable(v.number()), p95: v.nullable(v.number()) }),
  v.description('Percentiles, within 5 %; null if nothing has ended'),
);

const counted = v.object({
  started: v.number(),
  succeeded: v.number(),
  failed: v.number(),
  timedOut: v.number(),
  cancelled: v.number(),
  refused: v.pipe(
    v.record(v.string(), v.number()),
    v.description('Refused requests on record, by error code'),
  ),
  durationMs: milliseconds,
  nodes: v.optional(
    v.pipe(
      v.record(v.string(), v.object({ runs: v.number(), failed: v.number(), durationMs: milliseconds })),
      v.description('By node id; absent for all workflows together'),
    ),
  ),
});

export const statistics = v.object({
  workflowId: v.nullable(v.string()),
  step: v.picklist(['hour', 'day']),
  from: instant,
  to: v.pipe(instant, v.description('Where the last hour or day ends')),
  total: counted,
  steps: v.pipe(
    v.array(v.object({ from: instant, ...counted.entries })),
    v.description('The hours or days in which something was counted, in order'),
  ),
  timestamp: instant,
});

export const showStatisticsRoute = defineRoute({
  route: 'GET /api/admin/statistics',
  summary: 'how many executions started and ended, and how long they took, by hour or by day',
  query: statisticsQuery,
  answers: { 200: statistics },
});
