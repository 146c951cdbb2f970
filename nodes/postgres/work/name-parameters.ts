/** A word: a key word, or an identifier, which may have digits and `$` in it. */
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const PLACEHOLDER = /\$(\d+)/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

/**
 * Replaces `$1` by `:p1`, as the RDS Data API has it, outside of quoted texts, quoted names and comments.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export const nameParameters = (sql: string): string =>
  readTokens(sql, (text, number) => (number === null ? text : `:p${number}`)).join('');

/** The numbers of the placeholders in a statement. */
export const findPlaceholders = (sql: string): ReadonlySet<number> =>
  new Set(readTokens(sql, (_text, number) => number).filter((number) => number !== null));

/** @param read - gets the text of each token, and the number of a placeholder */
const readTokens = <Result>(sql: string, read: (text: string, number: number | null) => Result): Result[] => {
  const results: Result[] = [];
  for (let at = 0; at < sql.length; ) {
    const end = findTokenEnd(sql, at);
    const number = matchAt(PLACEHOLDER, sql, at)?.[1];
    results.push(read(sql.slice(at, end), number === undefined ? null : Number(number)));
    at = end;
  }
  return results;
};

const matchAt = (pattern: RegExp, sql: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(sql);
};

/** The end of the token that starts here, or of one character. */
const findTokenEnd = (sql: string, at: number): number => {
  switch (sql[at]) {
    case "'":
    case '"':
      return findQuoteEnd(sql, at, false);
    case '-':
      return sql[at + 1] === '-' ? endOr(sql, sql.indexOf('\n', at), 1) : at + 1;
    case '/':
      return sql[at + 1] === '*' ? findCommentEnd(sql, at) : at + 1;
    case '$': {
      const [tag] = matchAt(DOLLAR_QUOTE, sql, at) ?? [];
      if (tag !== undefined) return endOr(sql, sql.indexOf(tag, at + tag.length), tag.length);
      return at + (matchAt(PLACEHOLDER, sql, at)?.[0].length ?? 1);
    }
    default: {
      const word = matchAt(WORD, sql, at)?.[0] ?? '';
      const isEscaped = /^e$/i.test(word) && sql[at + 1] === "'";
      return isEscaped ? findQuoteEnd(sql, at + 1, true) : at + Math.max(1, word.length);
    }
  }
};

/** A text that does not end takes the rest. */
const endOr = (sql: string, found: number, length: number): number =>
  found === -1 ? sql.length : found + length;

/** A doubled quote ends one token and starts another, with the same effect. */
const findQuoteEnd = (sql: string, start: number, hasEscapes: boolean): number => {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at++) {
    if (hasEscapes && sql[at] === '\\') at++;
    else if (hasEscapes && sql[at] === quote && sql[at + 1] === quote) at++;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
};

/** Comments are nested. */
const findCommentEnd = (sql: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < sql.length; at++) {
    const pair = sql.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return sql.length;
};
