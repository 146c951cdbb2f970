import { isForm, orText, parseBody } from './parse-body.ts';
import type { WebhookRequest } from './webhook.ts';
import type { BodyParsers, ParsedBody } from './webhook-feature.ts';

/** Parses a body of a webhook without features: see {@link parseBody}. */
export const parsePlainBody = async (
  content: Pick<WebhookRequest, 'headers' | 'rawBody'>,
  { json }: Pick<BodyParsers, 'json'>,
): Promise<ParsedBody> => ({
  body: isForm(content.headers)
    ? (await import('./parse-form.chunk.ts')).parsePlainForm(content)
    : parseBody(content, json, orText(json)),
});
