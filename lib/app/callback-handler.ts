import { type FindCallbackParts, findPendingCallback } from '../callbacks/find-callback.ts';
import { confirmationPage, decidedPage } from '../callbacks/pages.ts';
import { readDecision } from '../callbacks/read-decision.ts';
import type { JsonValue } from '../contract/json.ts';
import type { Clock, Logger } from '../contract/services.ts';
import type { DurableService } from '../executions/lifecycle/durable-service.ts';
import { createHandler } from '../http/create-handler.ts';
import { limitBody } from '../http/limit-body.ts';
import { parseJsonBody } from '../http/parse-json-body.ts';
import { readWebhookEvent } from '../http/read-webhook-event.ts';
import { type Answer, answerJson } from '../shared/answer.ts';
import { AppError } from '../shared/errors.ts';
import { examineBody } from '../webhooks/examine-body.ts';

interface CallbackParts extends FindCallbackParts {
  readonly durableService: DurableService;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The engine takes no more than 256 KB with an answer, written as JSON once more. */
const MAX_BODY_BYTES = 100_000;
const MAX_BODY_DEPTH = 100;

/**
 * The address at which somebody answers a run that waits for it: GET shows what is asked, and changes nothing; POST
 * decides, once. That it is once is the engine's business: it takes one answer.
 */
export const createCallbackFunction = (parts: CallbackParts) =>
  createHandler(parts, async ({ event }) => {
    const { method, headers, rawBody } = readWebhookEvent(event, parts.clock.now());
    const { token } = ((event as { pathParameters?: unknown }).pathParameters ?? {}) as { token?: unknown };
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new AppError('METHOD_NOT_ALLOWED', { allow: ['GET', 'HEAD', 'POST'] });
    }
    limitBody(event, MAX_BODY_BYTES);
    const found = await findPendingCallback(typeof token === 'string' ? token : '', parts);
    if (method !== 'POST') return answerHtml(confirmationPage(found));
    const decision = readDecision(parseBody({ headers, rawBody }), parts.clock.now());
    const callback = { callbackId: found.place.callbackId, durableArn: found.record.leaseOwner ?? '' };
    if (!(await parts.durableService.answerCallback(callback, decision))) {
      throw new AppError('CALLBACK_GONE', {});
    }
    const { executionId } = found.record;
    return prefersHtml(headers.accept)
      ? answerHtml(decidedPage(decision.decision))
      : { ...answerJson(200, { executionId, decision: decision.decision }), executionId };
  });

const parseBody = (request: Parameters<typeof examineBody>[0]): JsonValue => {
  const examined = examineBody(request);
  return examined.kind === 'data' ? examined.value : parseJsonBody(examined.text, MAX_BODY_DEPTH);
};

/** A browser names it first; programs take anything, or JSON. */
const prefersHtml = (accept = ''): boolean => accept.trim().toLowerCase().startsWith('text/html');

/** The address is a secret: no other page is to learn it, and nothing on the page may load or run. */
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
