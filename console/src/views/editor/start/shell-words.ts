/** The words of a command. */
export interface ShellWords {
  readonly words: readonly string[];
  /** Variables and commands that a shell would replace; the words have them as they were written. */
  readonly unresolved: readonly string[];
  /** Whether something follows the command, such as a pipe. */
  readonly hasMore: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** @returns the character that follows the backslash of `$'..'`, and where the text continues */
const readEscape = (text: string, at: number): readonly [string, number] => {
  const [, digits, kind, hex] =
    /^(?:([0-7]{1,3})|(x)([0-9A-Fa-f]{1,2}))/.exec(text.slice(at, at + 4)) ??
    /^()(u)([0-9A-Fa-f]{1,4})/.exec(text.slice(at, at + 5)) ??
    /^()(U)([0-9A-Fa-f]{1,8})/.exec(text.slice(at, at + 9)) ??
    [];
  if (digits) return [String.fromCharCode(Number.parseInt(digits, 8) & 255), at + digits.length];
  if (kind !== undefined && hex !== undefined) {
    const code = Number.parseInt(hex, 16);
    return [code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code), at + 1 + hex.length];
  }
  const character = text[at] ?? '';
  return [ESCAPES[character] ?? (/['"\\?]/.test(character) ? character : `\\${character}`), at + 1];
};

/**
 * Splits a command as a POSIX shell does, with `$'..'` of bash: quotes, escapes and continued lines. Nothing is replaced.
 *
 * @throws Error if a quote is not closed
 */
export const splitShellWords = (text: string): ShellWords => {
  const words: string[] = [];
  const unresolved = new Set<string>();
  let word: string | null = null;
  const notice = (at: number) => {
    if (text[at] !== '$' && text[at] !== '`') return;
    const [found] = /^(?:\$(?:[A-Za-z_]\w*|\{\w{1,100}\}|\()|`)/.exec(text.slice(at, at + 104)) ?? [];
    if (found !== undefined) unresolved.add(found);
  };
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (character === '\\') {
      const lineEnd = next === '\r' && text[at + 2] === '\n' ? 3 : next === '\n' ? 2 : 0;
      if (lineEnd === 0) word = (word ?? '') + next;
      at += lineEnd === 0 ? 2 : lineEnd;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) throw new Error("A ' is not closed");
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '$' && next === "'") {
      const parts: string[] = [];
      for (at += 2; text[at] !== "'"; ) {
        if (at >= text.length) throw new Error("A $' is not closed");
        if (text[at] === '\\') {
          const [unescaped, after] = readEscape(text, at + 1);
          parts.push(unescaped);
          at = after;
        } else parts.push(text[at++] ?? '');
      }
      word = (word ?? '') + parts.join('');
      at++;
    } else if (character === '"') {
      const parts: string[] = [];
      for (at++; text[at] !== '"'; at++) {
        if (at >= text.length) throw new Error('A " is not closed');
        const following = text[at + 1] ?? '';
        if (text[at] === '\\' && '$`"\\\n'.includes(following) && following !== '') {
          if (following !== '\n') parts.push(following);
          at++;
        } else {
          notice(at);
          parts.push(text[at] ?? '');
        }
      }
      word = (word ?? '') + parts.join('');
      at++;
    } else if (' \t\r'.includes(character)) {
      if (word !== null) words.push(word);
      word = null;
      at++;
    } else if ('\n;|&<>'.includes(character)) {
      if (word !== null) words.push(word);
      word = null;
      if (words.length > 0) {
        const hasMore = text.slice(at + 1).trim() !== '' || character === '|';
        return { words, unresolved: [...unresolved], hasMore };
      }
      at++;
    } else {
      notice(at);
      word = (word ?? '') + character;
      at++;
    }
  }
  if (word !== null) words.push(word);
  return { words, unresolved: [...unresolved], hasMore: false };
};
