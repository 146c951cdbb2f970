import type { Clock, Logger } from '@hookloom/plugin-kit';
import { type ApprovalParts, approvalsQuery, listApprovals } from '../callbacks/list-approvals.ts';
import { createHandler } from '../http/create-handler.ts';
import { parseQuery } from '../http/read-parameters.ts';
import { readWebhookEvent } from '../http/read-webhook-event.ts';
import { answerJson } from '../shared/answer.ts';
import { METHOD_NOT_ALLOWED } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

/**
 * `GET /api/admin/approvals`: pending approvals. `GET /api/admin/approvals/addresses`: the same with callback URLs, at
 * a separate path, so that a policy can allow one without the other.
 */
export const createListApprovals = (
  parts: ApprovalParts & { readonly logger: Logger; readonly clock: Clock },
) =>
  createHandler({ logger: parts.logger, clock: parts.clock }, async ({ event }) => {
    const { method, requestPath } = readWebhookEvent(event, parts.clock.now());
    const allow = ['GET', 'HEAD'];
    if (!allow.includes(method)) throw new AppError(METHOD_NOT_ALLOWED, { allow });
    const hasAddresses = requestPath.endsWith('/addresses');
    const page = await listApprovals(parseQuery(event, approvalsQuery), hasAddresses, parts);
    const timestamp = new Date(parts.clock.now()).toISOString();
    return answerJson(200, { count: page.approvals.length, ...page, timestamp });
  });
