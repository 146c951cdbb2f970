import type { Clock, Logger } from '@hookloom/plugin-kit';
import { type ApprovalParts, listApprovals } from '../callbacks/list-approvals.ts';
import { answerRoute, type RouteCall } from '../http/api-route.ts';
import { serveRoutes } from '../http/create-handler.ts';
import { answerJson } from '../shared/answer.ts';
import { listAddressesRoute, listApprovalsRoute } from './api/approvals.ts';

/**
 * `GET /api/admin/approvals`: pending approvals. `GET /api/admin/approvals/addresses`: the same with callback URLs, at
 * a separate path, so that a policy can allow one without the other.
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
