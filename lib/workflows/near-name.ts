/** Longer names have too many neighbours to look up. */
const MAX_LENGTH = 40;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/**
 * A known name that is one slip away: written in another way (`http-request`), or with one character missing, too
 * many, wrong, or swapped with the next one; null when there is none. The names can be asked for but not listed,
 * so the neighbours of the wrong one are tried, after P. Norvig, "How to Write a Spelling Corrector".
 */
export const findNearName = (name: string, isKnown: (name: string) => boolean): string | null => {
  if (name.length > MAX_LENGTH) return null;
  for (const candidate of neighboursOf(name)) if (isKnown(candidate)) return candidate;
  return null;
};

function* neighboursOf(name: string): Generator<string> {
  const camelCase = name.replace(/[-_. ]+(.?)/g, (_, next: string) => next.toUpperCase());
  yield camelCase.charAt(0).toLowerCase() + camelCase.slice(1);
  for (let at = 0; at <= name.length; at++) {
    const before = name.slice(0, at);
    const [first = '', second = ''] = name.slice(at);
    const after = name.slice(at + 1);
    yield before + after;
    yield before + second + first + after.slice(1);
    for (const letter of LETTERS) {
      yield before + letter + after;
      yield before + letter + first + after;
    }
  }
}
