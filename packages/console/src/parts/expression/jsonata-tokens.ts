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

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const VARIABLE = /\$[\p{L}\p{N}_$]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const OPERATOR = /:=|!=|<=|>=|\?:|\?\?|~>|\.\.|\*\*|[-+*/%&=<>.,:;?!|^@#()[\]{}]/y;

/** Longer texts are left as they are. In UTF-16 units. */
const MAX_LENGTH = 20_000;

const match = (pattern: RegExp, text: string, from: number): string | null => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? null;
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
      const variable = match(VARIABLE, text, at);
      const name = match(NAME, text, at);
      const number = match(NUMBER, text, at);
      const operator = match(OPERATOR, text, at);
      if (variable !== null) at = add('variable', at, at + variable.length, variable);
      else if (name !== null) at = add('name', at, at + name.length, name);
      else if (number !== null) at = add('number', at, at + number.length, number);
      else if (operator !== null) at = add('operator', at, at + operator.length, operator);
      else at += 1;
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
