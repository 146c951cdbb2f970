import { distance } from 'fastest-levenshtein';

/** Longer names have too many neighbours and take too long to compare. */
const MAX_LENGTH = 64;

/** Maximum number of hints per file, since each costs a search. */
const MAX_HINTS = 100;

/** Finds the name most similar to a wrong one; null if none is similar. */
export type FindNearest = (name: string, names: Iterable<string>) => string | null;

/** Like {@link FindNearest}, for names that can be looked up but not listed. */
export type FindNearName = (name: string, isKnown: (name: string) => boolean) => string | null;

export interface Hints {
  readonly findNearest: FindNearest;
  readonly findNearName: FindNearName;
}

/** Hints for the first {@link MAX_HINTS} wrong names, then null: keeps the check of a file linear in its size. */
export const limitHints = (): Hints => {
  let left = MAX_HINTS;
  const takeOne = (): boolean => {
    left -= 1;
    return left >= 0;
  };
  return {
    findNearest: (name, names) => (takeOne() ? findNearest(name, names) : null),
    findNearName: (name, isKnown) => (takeOne() ? findNearName(name, isKnown) : null),
  };
};

/**
 * The most similar name: equal except for case and separators (`True`, `http-request`), else a prefix or an extension,
 * else the one with the smallest edit distance, up to a third of the length. A swap of neighbours is one edit.
 */
export const findNearest: FindNearest = (name, names) => {
  if (name === '' || name.length > MAX_LENGTH) return null;
  const plain = toPlain(name);
  let best: string | null = null;
  // A distance equal to the whole length is no similarity.
  let bestRank = Math.min(name.length, Math.max(1, Math.floor(name.length / 3)) + 1);
  for (const candidate of names) {
    const rank = candidate.length > MAX_LENGTH ? Number.POSITIVE_INFINITY : rankOf(plain, toPlain(candidate));
    if (rank < bestRank) {
      best = candidate;
      bestRank = rank;
    }
  }
  return best;
};

const toPlain = (name: string): string => name.toLowerCase().replace(/[-_. ]/g, '');

/** Returns how dissimilar two names are; 0 for equal names. */
const rankOf = (name: string, candidate: string): number => {
  if (name === candidate) return 0;
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name];
  if (short.length >= 3 && long.startsWith(short)) return 0.5;
  return isSwapped(name, candidate) ? 1 : distance(name, candidate);
};

const isSwapped = (name: string, candidate: string): boolean => {
  if (name.length !== candidate.length) return false;
  let at = 0;
  while (at < name.length && name[at] === candidate[at]) at++;
  const swapped = `${name.slice(0, at)}${name[at + 1] ?? ''}${name[at] ?? ''}${name.slice(at + 2)}`;
  return swapped === candidate;
};

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/**
 * Finds a known name that is one edit away: another notation (`http-request`), or one character missing, added,
 * replaced or swapped with the next. Tries all neighbours of the wrong name, after P. Norvig, "How to Write a Spelling
 * Corrector".
 */
export const findNearName: FindNearName = (name, isKnown) => {
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
