import { isPlainObject } from '@hookloom/plugin-kit';
import { tryParseJson } from '../../parts/parse-json.ts';

/** A text as it is edited: JSON with its fields on lines of their own, anything else as it is. */
export const toEditable = (text: string): string => {
  const value = tryParseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

interface Edited {
  readonly body: string;
  readonly query: string;
  /** JSON of the headers to replace. */
  readonly headers: string;
}

interface Original {
  readonly body: string;
  readonly query: string;
}

/**
 * What to send of an edited request: only what was changed, the body as JSON if it is some.
 *
 * @returns what is wrong with a field, or the edit, without fields if nothing was changed
 */
export const toEdit = (
  original: Original,
  { body, query, headers }: Edited,
):
  | { readonly problem: string; readonly field: 'body' | 'headers' }
  | { readonly input: Readonly<Record<string, unknown>> } => {
  const named = headers.trim() === '' ? {} : tryParseJson(headers);
  if (!isPlainObject(named)) return { problem: 'The headers must be a JSON object.', field: 'headers' };
  const isBodyChanged = body !== toEditable(original.body);
  const value = tryParseJson(body);
  if (isBodyChanged && value === undefined && tryParseJson(original.body) !== undefined)
    return { problem: 'The body must be JSON, as it was.', field: 'body' };
  return {
    input: {
      ...(isBodyChanged ? { body: value ?? body } : {}),
      ...(query === original.query ? {} : { query }),
      ...(Object.keys(named).length === 0 ? {} : { headers: named }),
    },
  };
};
