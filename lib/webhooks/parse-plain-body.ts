import type { JsonValue } from '@hookloom/plugin-kit';
import { isForm, parseBody, parseOrText, type SentBody } from './parse-body.ts';
import type { ParsedBody } from './webhook-feature.ts';

/** Parses a body of a webhook without features: see {@link parseBody}. */
export const parsePlainBody = async (
  content: SentBody,
  { json }: { readonly json: (text: string) => JsonValue },
): Promise<ParsedBody> => ({
  body: isForm(content.headers)
    ? (await import('./parse-form.chunk.ts')).parsePlainForm(content)
    : parseBody(content, json, (text) => parseOrText(text, json)),
});
