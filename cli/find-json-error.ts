/**
 * Where a text stops being JSON (RFC 8259): the index of the first character that can't stand there, the length of
 * the text when it ends too early, null when it is JSON. `JSON.parse` tells the place of some errors only.
 */
export const findJsonError = (text: string): number | null => {
  const open: ('[' | '{')[] = [];
  let state: State = 'value';
  let at = skip(WHITESPACE, text, 0);
  for (; at < text.length; at = skip(WHITESPACE, text, at)) {
    const char = text.charAt(at);
    const isClosing = (char === ']' && open.at(-1) === '[') || (char === '}' && open.at(-1) === '{');
    if (isClosing && (state === 'next' || state === 'first' || state === 'first key')) {
      open.pop();
      state = 'next';
      at++;
    } else if (state === 'colon' || (state === 'next' && open.length > 0)) {
      if (char !== (state === 'colon' ? ':' : ',')) return at;
      state = state === 'next' && open.at(-1) === '{' ? 'key' : 'value';
      at++;
    } else if (state === 'next') {
      return at; // after the end
    } else if (state === 'key' || state === 'first key') {
      if (char !== '"') return at;
      const { end, isWhole } = readString(text, at);
      if (!isWhole) return end;
      state = 'colon';
      at = end;
    } else if (char === '[' || char === '{') {
      open.push(char);
      state = char === '[' ? 'first' : 'first key';
      at++;
    } else {
      const { end, isWhole } = char === '"' ? readString(text, at) : readPlain(text, at);
      if (!isWhole) return end;
      state = 'next';
      at = end;
    }
  }
  return state === 'next' && open.length === 0 ? null : at;
};

/** What may come next; the `first` ones may be left out: `[]`, `{}`. */
type State = 'value' | 'first' | 'key' | 'first key' | 'colon' | 'next';

/** A token: where it ends, or, when it is none, where it goes wrong. */
interface Token {
  readonly end: number;
  readonly isWhole: boolean;
}

const WHITESPACE = /[ \t\n\r]*/y;
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON wants them escaped
const UNESCAPED = /[^"\\\u0000-\u001f]*/y;
const ESCAPED = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;

/** The index after what matches at an index; that index when nothing does. */
const skip = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
};

const readPlain = (text: string, at: number): Token => {
  const end = skip(PLAIN, text, at);
  return { end, isWhole: end > at };
};

/** In pieces: one expression for a whole string would use up the stack, or try all ways to split it. */
const readString = (text: string, start: number): Token => {
  for (let at = start + 1; ; ) {
    at = skip(UNESCAPED, text, at);
    if (text.charAt(at) === '"') return { end: at + 1, isWhole: true };
    const end = skip(ESCAPED, text, at);
    if (end === at) return { end: at, isWhole: false };
    at = end;
  }
};
