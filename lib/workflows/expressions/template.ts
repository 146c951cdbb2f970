import type { TemplatePart } from './scope.ts';

/**
 * Splits a template at its `{{ … }}`. Braces, quotes, comments and patterns within an expression belong to JSONata:
 * `{{ {"a": {"b": 1}} }}`, `{{ "}}" }}` and `{{ $split(a, /"/) }}` are one expression each. A `{{` without `}}` is literal text.
 */
export const splitTemplate = (text: string): TemplatePart[] => {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('{{', from);
    const end = start === -1 ? -1 : findEnd(text, start + 2);
    if (end === -1) break;
    if (start > from) parts.push({ text: text.slice(from, start) });
    parts.push({ expression: text.slice(start + 2, end), offset: start + 2 });
    from = end + 2;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
};

/** Index of the `}}` that ends the expression at `from`; -1 if there is none. */
const findEnd = (text: string, from: number): number => {
  let depth = 0;
  /** The last character that is not a space. */
  let before = '(';
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"' || char === "'" || char === '`') {
      at = skipQuoted(text, at, char);
    } else if (char === '/' && text[at + 1] === '*') {
      const close = text.indexOf('*/', at + 2);
      at = close === -1 ? text.length : close + 1;
      continue;
    } else if (char === '/' && BEFORE_PATTERN.has(before)) {
      at = skipPattern(text, at);
    } else if (char === '{') {
      depth++;
    } else if (char === '}') {
      if (depth === 0) return text[at + 1] === '}' ? at : -1;
      depth--;
    }
    if (!/\s/.test(char)) before = char;
  }
  return -1;
};

/** Where a value begins, so that a slash is the start of a pattern; elsewhere, it divides. */
const BEFORE_PATTERN = new Set('([{,;:=?>!&|');

/** Index of the slash that ends the pattern, as JSONata finds it: not escaped, and in no brackets. */
const skipPattern = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === '/' && depth === 0) return at;
  }
  return text.length;
};

const skipQuoted = (text: string, from: number, quote: string): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote !== '`') at++;
    else if (text[at] === quote) return at;
  }
  return text.length;
};
