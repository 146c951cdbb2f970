import type { Clock, Logger } from '@hookloom/plugin-kit';
import * as v from 'valibot';
import { type ApprovalParts, approvalsQuery, listApprovals } from '../approvals/list-approvals.ts';
import { answerRoute, defineRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { instant, nextCursor } from './answers.ts';

export const approval = v.object({
  executionId: v.string(),
  workflowId: v.string(),
  nodeId: v.string(),
  title: v.nullable(v.string()),
  askedBy: v.nullable(v.string()),
  since: instant,
  until: instant,
});

const approvalsPage = { nextCursor, omitsEarlier: v.optional(v.literal(true)), timestamp: instant };

export const listApprovalsRoute = defineRoute({
  route: 'GET /api/admin/approvals',
  summary: 'a page of the pending approvals, by expiry',
  query: approvalsQuery,
  answers: { 200: v.object({ count: v.number(), approvals: v.array(approval), ...approvalsPage }) },
});

export const listAddressesRoute = defineRoute({
  route: 'POST /api/admin/approvals/addresses',
  summary: 'the same page with callback URLs, with which anyone can decide',
  query: approvalsQuery,
  answers: {
    200: v.object({
      count: v.number(),
      approvals: v.array(v.object({ ...approval.entries, address: v.optional(v.string()) })),
      ...approvalsPage,
    }),
  },
});

/**
 * `GET /api/admin/approvals`: pending approvals. `POST /api/admin/approvals/addresses`: the same with callback URLs. It
 * changes nothing, but is no GET: a reader may send any GET, and a policy can't deny all spellings of a path.
 */
export const createListApprovals = (
  parts: ApprovalParts & { readonly logger: Logger; readonly clock: Clock },
) => {
  const list = async (query: RouteCall<typeof listApprovalsRoute>['query'], hasAddresses: boolean) => {
    const page = await listApprovals(query, hasAddresses, parts);
    const timestamp = new Date(parts.clock.now()).toISOString();
    return answerJson(200, { count: page.approvals.length, ...page, timestamp });
  };
  return serveRoutes(parts, [
    answerRoute(listApprovalsRoute, ({ query }) => list(query, false)),
    answerRoute(listAddressesRoute, ({ query }) => list(query, true)),
  ]);
};
