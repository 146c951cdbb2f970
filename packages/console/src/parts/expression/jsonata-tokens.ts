/** A word of an expression, for colours and completion. */
export interface Token {
  readonly kind: 'name' | 'variable' | 'string' | 'number' | 'operator' | 'comment' | 'regex';
  readonly from: number;
  readonly to: number;
  /** Names without their backticks, variables with their `$`. */
  readonly text: string;
  /** Whether its end is missing: a string without its last quote. */
  readonly isOpen: boolean;
}

const WORDS = [
  ['variable', /\$[\p{L}\p{N}_$]*/uy],
  ['name', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['number', /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y],
  ['operator', /:=|!=|<=|>=|\?:|\?\?|~>|\.\.|\*\*|[-+*/%&=<>.,:;?!|^@#()[\]{}]/y],
] as const;

/** Longer texts are left as they are. In UTF-16 units. */
const MAX_LENGTH = 20_000;

const matchWord = (text: string, from: number) => {
  for (const [kind, pattern] of WORDS) {
    pattern.lastIndex = from;
    const [word] = pattern.exec(text) ?? [];
    if (word !== undefined) return [kind, word] as const;
  }
  return [null, ''] as const;
};

/** The end of what a quote begins; -1 if it has none. */
const findQuote = (text: string, from: number, quote: string): number => {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\' && quote !== '`') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
};

/** Splits an expression into its words, also one that is not finished. Blanks and unknown characters are left out. */
export const tokenizeExpression = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  if (text.length > MAX_LENGTH) return tokens;
  const add = (kind: Token['kind'], from: number, to: number, shown: string, isOpen = false): number => {
    tokens.push({ kind, from, to, text: shown, isOpen });
    return to;
  };
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (char === '"' || char === "'" || char === '`') {
      const end = findQuote(text, at + 1, char);
      const to = end === -1 ? text.length : end + 1;
      const inner = text.slice(at + 1, end === -1 ? to : end);
      at = add(char === '`' ? 'name' : 'string', at, to, inner, end === -1);
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = add('comment', at, end === -1 ? text.length : end + 2, '', end === -1);
    } else if (char === '/' && !endsOperand(tokens.at(-1))) {
      const end = findQuote(text, at + 1, '/');
      at = add('regex', at, end === -1 ? text.length : end + 1, '', end === -1);
    } else {
      const [kind, word] = matchWord(text, at);
      at = kind === null ? at + 1 : add(kind, at, at + word.length, word);
    }
  }
  return tokens;
};

/** Whether a `/` after it divides, rather than beginning a regular expression. */
const endsOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === 'operator' ? [')', ']', '}'].includes(token.text) : token.kind !== 'comment');

/** Words that are no names of fields. */
export const KEYWORDS: readonly string[] = ['and', 'or', 'in', 'true', 'false', 'null', 'function'];

/** A name as it is written: with backticks if it is not a plain one. */
export const writeName = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !KEYWORDS.includes(name) ? name : `\`${name}\``;
