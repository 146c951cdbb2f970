import type { JsonValue } from '@hookloom/plugin-kit';
import type { splitTemplate } from '../expressions/template.ts';

/**
 * Fills the expressions of a template whose text is JSON: within a text of JSON as escaped text, elsewhere as the JSON of the value.
 *
 * @param valueAt - the value of the expression that is the nth part
 */
export const createJsonText = (
  parts: ReturnType<typeof splitTemplate>,
  valueAt: (at: number) => JsonValue,
): string => {
  let text = '';
  let isInText = false;
  for (const [at, part] of parts.entries()) {
    if ('text' in part) {
      text += part.text;
      isInText = endsInText(part.text, isInText);
    } else {
      text += isInText ? escapeAsJson(valueAt(at)) : JSON.stringify(valueAt(at));
    }
  }
  return text;
};

const escapeAsJson = (value: JsonValue): string => {
  if (value === null) return '';
  return JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(1, -1);
};

const endsInText = (text: string, startsInText: boolean): boolean => {
  let isInText = startsInText;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isInText = !isInText;
    else if (isInText && text[at] === '\\') at += 1;
  }
  return isInText;
};
