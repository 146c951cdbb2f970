import { decodeUtf8, isForm, orText, parseBody } from './parse-body.ts';
import type { WebhookRequest } from './webhook.ts';
import type { BodyParsers, ParsedBody } from './webhook-feature.ts';

type Content = Pick<WebhookRequest, 'headers' | 'rawBody'>;

/** Parses a body of a webhook without features: see {@link parseBody}. */
export const parsePlainBody = async (
  content: Content,
  { json }: Pick<BodyParsers, 'json'>,
): Promise<ParsedBody> => {
  if (!isOddForm(content)) return { body: parseBody(content, json, orText(json)) };
  return { body: (await import('./parse-form.chunk.ts')).parseForm(content) };
};

/** Whether a form says that it has another charset than UTF-8, or has bytes that are not UTF-8. */
const isOddForm = ({ headers, rawBody }: Content): boolean => {
  if (!isForm(headers) || headers['content-encoding'] !== undefined) return false;
  const text = decodeUtf8(rawBody);
  try {
    return (
      text === null ||
      /charset="?(?!"|utf-?8)/i.test(headers['content-type'] ?? '') ||
      text.includes('_charset_=') ||
      decodeURIComponent(text) === ''
    );
  } catch {
    return true; // malformed, or not UTF-8
  }
};
