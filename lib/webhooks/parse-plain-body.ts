import type { JsonValue } from '@hookloom/plugin-kit';
import { isForm, parseBody, parseOrText, type SentBody } from './parse-body.ts';
import type { ParsedBody } from './webhook-feature.ts';

/** Parses a body of a webhook without features: see {@link parseBody}. */
export const parsePlainBody = (
  content: SentBody,
  { json }: { readonly json: (text: string) => JsonValue },
): ParsedBody | Promise<ParsedBody> =>
  isForm(content.headers)
    ? import('./parse-form.chunk.ts').then(({ parsePlainForm }) => ({ body: parsePlainForm(content) }))
    : { body: parseBody(content, json, (text) => parseOrText(text, json)) };
