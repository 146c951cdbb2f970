import type { Clock, Logger } from '@hookloom/plugin-kit';
import { type ApprovalParts, listApprovals } from '../approvals/list-approvals.ts';
import { answerRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { listAddressesRoute, listApprovalsRoute } from './approvals.ts';

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
