import { EvaluationError } from '../evaluation-error.ts';
import { type Native, native } from '../native.ts';
import type { Match } from '../regex-function.ts';
import type { Run } from '../run.ts';
import { Func, isObject, type Members, Sequence } from '../values.ts';

type Text = string | undefined;

/** A literal string or a matcher, which is a regular expression or a function used in its place. */
type Pattern = string | Func;

/** Converts the result of a matcher to a match, with defaults for missing fields. @throws EvaluationError `T1010` */
const toMatch = (token: string, found: unknown): Found | undefined => {
  if (found === undefined) return undefined;
  const { match, start, end, groups, next } = isObject(found) ? found : ({} as Members);
  const isMatch = isNumber(start) || isNumber(end) || Array.isArray(groups) || next instanceof Func;
  if (!isMatch) throw new EvaluationError('T1010', { token });
  const text = typeof match === 'string' ? match : '';
  const from = isNumber(start) ? start : 0;
  return {
    match: text,
    start: from,
    end: isNumber(end) ? end : from + text.length,
    groups: Array.isArray(groups) ? groups : [],
    next,
  };
};

type Found = Omit<Match, 'next'> & { readonly next: unknown };

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** The matches of a matcher, one by one. */
function* matchesOf(run: Run, token: string, matcher: Func, text: string, limit: number): Generator<Found> {
  if (limit <= 0) return;
  let match = toMatch(token, run.apply(matcher, [text], null));
  for (let count = 0; match !== undefined; ) {
    yield match;
    if (++count >= limit) return;
    match = toMatch(token, run.apply(match.next, [], null));
  }
}

const checkLimit = (code: string, limit: number | undefined): number => {
  if (limit !== undefined && limit < 0) throw new EvaluationError(code);
  return limit ?? Number.POSITIVE_INFINITY;
};

const contains = (run: Run, text: Text, pattern?: Pattern): boolean | undefined => {
  if (text === undefined || pattern === undefined) return undefined;
  if (typeof pattern !== 'string') return !matchesOf(run, 'contains', pattern, text, 1).next().done;
  run.budget.read(text.length + pattern.length);
  return text.includes(pattern);
};

const match = (run: Run, text: Text, pattern: Func, limit?: number): Sequence | undefined => {
  if (text === undefined) return undefined;
  const found = new Sequence();
  for (const { match, start, groups } of matchesOf(run, 'match', pattern, text, checkLimit('D3040', limit))) {
    run.budget.makeItems(4 + groups.length);
    found.push({ match, index: start, groups });
    run.budget.checkLength(found.length);
  }
  return found;
};

/**
 * Fills in a replacement: `$1` is a group, `$0` the match, `$$` a dollar sign. A group number has as many digits as the
 * number of groups needs.
 */
const fill = (replacement: string, { match, groups }: Pick<Match, 'match' | 'groups'>): string => {
  const digits = groups.length === 0 ? 1 : Math.floor(Math.log10(groups.length)) + 1;
  let filled = '';
  let from = 0;
  for (let at = replacement.indexOf('$'); at !== -1; at = replacement.indexOf('$', from)) {
    filled += replacement.slice(from, at);
    from = at + 1;
    const sign = replacement.charAt(from);
    if (sign === '$' || sign === '0') {
      filled += sign === '$' ? '$' : match;
      from++;
      continue;
    }
    let number = Number.parseInt(replacement.slice(from, from + digits), 10);
    if (digits > 1 && number > groups.length) {
      number = Number.parseInt(replacement.slice(from, from + digits - 1), 10);
    }
    if (Number.isNaN(number)) {
      filled += '$';
    } else {
      filled += groups[number - 1] ?? '';
      from += String(number).length;
    }
  }
  return filled + replacement.slice(from);
};

const replace = (
  run: Run,
  text: Text,
  pattern: Pattern,
  replacement: string | Func,
  limit?: number,
): Text => {
  if (text === undefined) return undefined;
  if (pattern === '') throw new EvaluationError('D3010');
  const most = checkLimit('D3011', limit);
  run.budget.write(text.length);
  return typeof pattern === 'string'
    ? replaceText(run, text, pattern, replacement, most)
    : replaceMatches(run, text, pattern, replacement, most);
};

const replaceText = (
  run: Run,
  text: string,
  pattern: string,
  replacement: string | Func,
  limit: number,
): string => {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(pattern); at !== -1 && parts.length < limit; at = text.indexOf(pattern, from)) {
    if (typeof replacement !== 'string') throw new EvaluationError('D3012');
    run.budget.makeItems(1);
    run.budget.write(replacement.length);
    parts.push(text.slice(from, at) + replacement);
    from = at + pattern.length;
  }
  return parts.join('') + text.slice(from);
};

const replaceMatches = (
  run: Run,
  text: string,
  pattern: Func,
  replacement: string | Func,
  limit: number,
): string => {
  const parts: string[] = [];
  let from = 0;
  for (const match of matchesOf(run, 'replace', pattern, text, limit)) {
    if (typeof replacement === 'string') run.budget.read(replacement.length);
    const replaced =
      typeof replacement === 'string' ? fill(replacement, match) : run.apply(replacement, [match], null);
    if (typeof replaced !== 'string') throw new EvaluationError('D3012');
    run.budget.makeItems(1);
    run.budget.write(replaced.length);
    parts.push(text.slice(from, match.start) + replaced);
    from = match.start + match.match.length;
  }
  return parts.join('') + text.slice(from);
};

const split = (run: Run, text: Text, separator: Pattern, limit?: number): string[] | undefined => {
  if (text === undefined) return undefined;
  const most = checkLimit('D3020', limit);
  if (typeof separator === 'string') return splitText(run, text, separator, most);
  const parts: string[] = [];
  let from = 0;
  for (const match of matchesOf(run, 'split', separator, text, most)) {
    run.budget.makeItems(1);
    parts.push(text.slice(from, match.start));
    run.budget.checkLength(parts.length);
    from = match.end;
  }
  if (parts.length < most) parts.push(text.slice(from));
  return parts;
};

const splitText = ({ budget }: Run, text: string, separator: string, limit: number): string[] => {
  budget.read(text.length);
  const most = Math.floor(Math.min(limit, text.length + 1));
  if (separator === '') budget.checkLength(Math.min(most, text.length));
  const parts = text.split(separator, most);
  budget.checkLength(parts.length);
  budget.makeItems(parts.length);
  return parts;
};

export const matchingFunctions: Readonly<Record<string, Native>> = {
  contains: native('<s-(sf):b>', contains),
  match: native('<s-f<s:o>n?:a<o>>', match),
  replace: native('<s-(sf)(sf)n?:s>', replace),
  split: native('<s-(sf)n?:a<s>>', split),
};
