/**
 * Why a string is not a wildcard pattern; null if it is one. `*` matches any number of characters, including none; `\*`
 * and `\\` match themselves:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-wildcard-matching
 */
export const findWildcardProblem = (pattern: string): string | null => {
  for (let at = 0; at < pattern.length; at++) {
    const next = pattern[at + 1];
    if (pattern[at] === '*' && next === '*') return 'has two asterisks in a row: one is enough';
    if (pattern[at] !== '\\') continue;
    if (next !== '*' && next !== '\\')
      return 'has a backslash that escapes neither "*" nor "\\": write "\\\\" for a backslash';
    at++;
  }
  return null;
};

/**
 * Creates a test for strings from a valid wildcard pattern. Each literal piece is matched at its first occurrence,
 * without backtracking.
 */
export const toWildcardTest = (pattern: string): ((text: string) => boolean) => {
  const [first = '', ...others] = splitAtAsterisks(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= end; // no piece reaches into the last one
  };
};

const splitAtAsterisks = (pattern: string): string[] => {
  const pieces: string[] = [];
  let piece = '';
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '*') {
      pieces.push(piece);
      piece = '';
      continue;
    }
    if (pattern[at] === '\\') at++;
    piece += pattern[at];
  }
  return [...pieces, piece];
};
