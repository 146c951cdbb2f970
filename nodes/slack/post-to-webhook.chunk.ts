import {
  fromAttempt,
  isPassing,
  type JsonObject,
  type NodeContext,
  readErrorBody,
  toStatusError,
} from '@hookloom/plugin-kit';
import { type MessageParameters, toMessage } from './to-message.ts';

/** Replaced by the URL of the credential. */
const PLACE = 'https://hooks.slack.com/';

/**
 * Posts to an incoming webhook, which answers in plain text: `ok`, or an error code.
 *
 * @throws NodeError with `details.code`, such as `channel_is_archived`
 */
export const postToWebhook = async (
  message: MessageParameters,
  context: NodeContext,
): Promise<JsonObject> => {
  const response = await context.services.http.request({
    method: 'POST',
    url: PLACE,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(toMessage(message)),
    ...fromAttempt(context),
    maxRedirects: 0,
    maxResponseBytes: 65_536,
  });
  const { status } = response;
  if (status >= 200 && status <= 299) return { posted: true };
  const { body } = readErrorBody(response);
  const isCode = typeof body === 'string' && /^\w{1,100}$/.test(body);
  throw toStatusError(response, {
    isRetryable: isPassing(status),
    now: context.services.clock.now(),
    ...(isCode ? { code: body, problem: body } : {}),
  });
};
