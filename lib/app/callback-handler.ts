import { confirmationPage, decidedPage } from '../callbacks/decision-pages.ts';
import { type FindCallbackParts, findPendingCallback } from '../callbacks/find-callback.ts';
import { parseDecision } from '../callbacks/parse-decision.ts';
import type { Clock, Logger } from '../contract/services.ts';
import type { DurableService } from '../executions/lifecycle/durable-service.ts';
import { createHandler } from '../http/create-handler.ts';
import { limitBody } from '../http/limit-body.ts';
import { parseJsonBody } from '../http/parse-json-body.ts';
import { readPathParameter } from '../http/read-path-parameter.ts';
import { readWebhookEvent } from '../http/read-webhook-event.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import { parseBody } from '../webhooks/parse-body.ts';

interface CallbackParts extends FindCallbackParts {
  readonly durableService: DurableService;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The engine's limit for an answer is 256 KB, and it is encoded as JSON a second time. */
const MAX_BODY_BYTES = 100_000;
const MAX_BODY_DEPTH = 100;

/** The handler of callback URLs: GET shows a form and changes nothing, POST decides. The engine takes one answer only. */
export const createCallbackFunction = (parts: CallbackParts) =>
  createHandler(parts, async ({ event }) => {
    const { method, headers, rawBody } = readWebhookEvent(event, parts.clock.now());
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new AppError('METHOD_NOT_ALLOWED', { allow: ['GET', 'HEAD', 'POST'] });
    }
    limitBody(event, MAX_BODY_BYTES);
    const found = await findPendingCallback(readPathParameter(event, 'token'), parts);
    if (method !== 'POST') return answerHtml(confirmationPage(found));
    const body = parseBody({ headers, rawBody }, (text) => parseJsonBody(text, MAX_BODY_DEPTH));
    const decision = parseDecision(body, parts.clock.now());
    const { executionId, leaseOwner } = found.execution;
    const callback = { callbackId: found.callback.callbackId, durableArn: leaseOwner ?? '' };
    if (!(await parts.durableService.answerCallback(callback, decision))) {
      throw new AppError('CALLBACK_GONE', {});
    }
    return prefersHtml(headers.accept)
      ? answerHtml(decidedPage(decision.decision))
      : { ...answerJson(200, { executionId, decision: decision.decision }), executionId };
  });

/** Browsers name HTML first. */
const prefersHtml = (accept = ''): boolean => accept.trim().toLowerCase().startsWith('text/html');

/** The URL is a secret: no referrer, no cache, and nothing on the page may load or run. */
const answerHtml = (body: string): Answer => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  },
  body,
});
