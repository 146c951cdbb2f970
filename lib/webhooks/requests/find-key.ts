import type { JsonValue } from '@hookloom/plugin-kit';
import { findDeliveryKey } from '../delivery-key.ts';
import { parseBody } from '../parse-body.ts';
import { toRequestScope } from '../request-scope.ts';
import { toTriggerInput } from '../to-trigger-input.ts';
import type { Webhook } from '../webhook.ts';
import type { WebhookRequest } from '../webhook-request.ts';
import { MAX_BODY_BYTES } from './keep-body.ts';

/**
 * The key of a delivery that was refused before its key was determined, so that it can be found by its key. An
 * unreadable body counts as empty.
 *
 * @returns null without a key
 */
export const findKey = async (request: WebhookRequest, webhook: Webhook): Promise<string | null> => {
  const { headers, rawBody, receivedAt } = request;
  const body = rawBody.length <= MAX_BODY_BYTES ? read(request) : {};
  const input = toTriggerInput({ request, webhook }, headers, body);
  return findDeliveryKey(webhook.config, toRequestScope(webhook, input, receivedAt));
};

const read = (request: WebhookRequest): JsonValue => {
  const parse = (text: string): JsonValue => JSON.parse(text);
  try {
    return parseBody(request, parse, parse);
  } catch {
    return {};
  }
};
