import { EvaluationError } from '../evaluation-error.ts';
import type { Run } from '../run.ts';
import { readOffset } from '../time-zone.ts';
import { countDigits, isInRange, type Marker, splitPicture } from './date-markers.ts';

/** What the library computes: the number of a week and its year or month, and the value of an integer's text. */
export interface DateLibrary {
  component(local: number, letter: string): number;
  parseInteger(text: string, picture: string): unknown;
}

const months = 'January,February,March,April,May,June,July,August,September,October,November,December';
const days = 'Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday';

/** Names by component; the first one is 1, or 0 for `P`. */
const names: ReadonlyMap<string, readonly string[]> = new Map([
  ['M', months.split(',')],
  ['x', months.split(',')],
  ['F', days.split(',')],
  ['P', ['am', 'pm']],
]);

/** What matches the text of a component that is not written in digits, by its modifier. */
const patterns: readonly (readonly [modifier: RegExp, pattern: string])[] = [
  [/^[Aa]$/, '[a-z]+'],
  [/^[Ii]$/, '[mdclxvi]+'],
  [/^(w|W|Ww)$/, '[a-z, -]+'],
];

const OFFSET = 'Z|[-+][0-9]{1,2}(?::?[0-9]{2})?';

/** A year of two digits is in the hundred years that begin with this one, as in Luxon. */
const FIRST_SHORT_YEAR = 1961;

/** The pattern of a text in the form of a picture, with a group for each part. */
const toPattern = (parts: readonly (string | Marker)[]): RegExp => {
  const sources = parts.map((part, at) => {
    if (typeof part === 'string') return `(${part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')})`;
    return `(${patternOf(part, parts[at + 1])})`;
  });
  return new RegExp(`^${sources.join('')}$`, 'i');
};

/** @throws EvaluationError `D3130` | `D3133` | `D3135` for what can't be read */
const patternOf = (marker: Marker, next: string | Marker | undefined): string => {
  const { raw, component, modifier, suffix } = marker;
  if (!raw.endsWith(']')) throw new EvaluationError('D3135');
  if (component === 'Z' || component === 'z') return component === 'Z' ? OFFSET : `GMT(?:${OFFSET})|Z`;
  if (/^[Nn]/.test(modifier)) return namesOf(marker).join('|');
  const [, pattern] = patterns.find(([of]) => of.test(modifier)) ?? [];
  if (pattern !== undefined) return pattern;
  if (!/[0-9]/.test(modifier)) throw new EvaluationError('D3130', { value: modifier });
  if (component === 'f') return '[0-9]+';
  // Without text in between, only the number of its digits separates an integer from the next one.
  const isAlone = typeof next !== 'object' || /[Zz]/.test(next.component) || /^[Nn]/.test(next.modifier);
  return `[0-9]${isAlone ? '+' : `{${widthOf(marker)}}`}${suffix === 'o' ? '(?:th|st|nd|rd)' : ''}`;
};

const widthOf = (marker: Marker): number => {
  const width = Math.max(countDigits(marker), marker.min ?? 0);
  return marker.component === 'Y' ? (marker.max ?? width) : width;
};

/** The names of a component, cut to its width. @throws EvaluationError `D3133` for one without names */
const namesOf = ({ component, max }: Marker): readonly string[] => {
  const all = names.get(component);
  if (all === undefined) throw new EvaluationError('D3133', { value: component });
  return all.map((name) => name.slice(0, max));
};

/** The value of a component's text; NaN if it has none, or several: `J` is the first letter of three months. */
const toValue = (library: DateLibrary, marker: Marker, text: string): number => {
  const { component, modifier, suffix } = marker;
  if (component === 'f') return Number(text.slice(0, 3).padEnd(3, '0'));
  if (/^[Nn]/.test(modifier)) {
    const known = namesOf(marker).map((name) => name.toLowerCase());
    const at = known.indexOf(text.toLowerCase());
    if (known.lastIndexOf(text.toLowerCase()) !== at) return Number.NaN;
    return component === 'P' ? at : at + 1;
  }
  const value = Number(library.parseInteger(text, suffix === '' ? modifier : `${modifier};${suffix}`));
  const isShort = component === 'Y' && text.length <= 2 && widthOf(marker) === 2;
  return isShort && value >= 0 ? FIRST_SHORT_YEAR + ((value + 39) % 100) : value;
};

/** The offset of `Z`, `+5`, `+530`, `+05:30` or `GMT+05:30`; NaN if there is no such one. */
const toOffset = (text: string): number => {
  const [, sign, hours = '', minutes = ''] = /([-+])(\d{1,2}?):?(\d\d)?$/.exec(text) ?? [];
  return (sign === undefined ? 0 : readOffset(sign + hours.padStart(2, '0') + minutes)) ?? Number.NaN;
};

/** Number of ways to split a text of a given length into date components. A failing match tries all of them. */
const countWays = (length: number, places: number): number => {
  let ways = 1;
  for (let place = 1; place < places; place++) ways *= (length + place) / place;
  return ways;
};

/**
 * The largest number of date components in a row without separators. The pattern backtracks: it tries all ways to split
 * the text among them.
 */
const countAdjacent = (picture: string): number => {
  let most = 1;
  let run = 1;
  let marker = '';
  let literal = '';
  for (const part of picture.split(/(\[[^\][]*\])/)) {
    if (!part.startsWith('[')) {
      literal = part;
      continue;
    }
    run = marker === '' || separates(marker, literal) ? 1 : run + 1;
    most = Math.max(most, run);
    marker = part;
  }
  return most;
};

/**
 * Whether a literal cannot be mistaken for a part of the component before it, which consists of digits if it has no
 * modifier.
 */
const separates = (marker: string, literal: string): boolean => {
  const isNumeric = /^\[[YMDdWwXxHhmsf]([0-9#]+o?)?(,[^\]]*)?\]$/.test(marker);
  return isNumeric
    ? /[^0-9a-z]/i.test(literal) || /^[A-Z]+$/i.test(literal)
    : /[^0-9a-z ,:+-]/i.test(literal);
};

/** The components that a text can be compared with, by a local time. */
const components: Readonly<Record<string, (date: Date) => number>> = {
  Y: (date) => date.getUTCFullYear(),
  M: (date) => date.getUTCMonth() + 1,
  D: (date) => date.getUTCDate(),
  d: (date) => (date.getTime() - new Date(date).setUTCMonth(0, 1)) / 86_400_000 + 1,
  F: (date) => date.getUTCDay() || 7,
  H: (date) => date.getUTCHours(),
  h: (date) => date.getUTCHours() % 12 || 12,
  P: (date) => Math.floor(date.getUTCHours() / 12),
  m: (date) => date.getUTCMinutes(),
  s: (date) => date.getUTCSeconds(),
  f: (date) => date.getUTCMilliseconds(),
};

const component = (library: DateLibrary, local: number, letter: string): number =>
  components[letter]?.(new Date(local)) ?? library.component(local, letter);

/**
 * Reads a date in the form of a picture. Larger components that it lacks, such as the day of a time, are those at the start
 * of the run; smaller ones are the first.
 * @returns milliseconds since the epoch; undefined if the text does not have the form
 * @throws EvaluationError `D3136` when something in between lacks, `D3154` for a date or time that does not exist
 */
export const readDate = (
  run: Run,
  library: DateLibrary,
  text: string,
  picture: string,
): number | undefined => {
  const parts = splitPicture(picture);
  run.budget.spend(countWays(text.length, countAdjacent(picture)) / 16);
  const groups = toPattern(parts).exec(text);
  if (groups === null) return undefined;
  const values: [component: string, value: number][] = [];
  let offsetMs = 0;
  for (const [at, part] of parts.entries()) {
    const written = groups[at + 1] ?? '';
    if (typeof part === 'string') continue;
    if (part.component.toUpperCase() === 'Z') offsetMs = toOffset(written);
    else values.push([part.component, toValue(library, part, written)]);
  }
  const now = run.environment.startedAt() + offsetMs;
  const local = complete(new Map(values), (letter) => component(library, now, letter));
  // A date that does not exist has become another one, which also has another weekday than the text.
  const exists = values.every(([letter, value]) => component(library, local, letter) === value);
  if (exists && isInRange(local) && !Number.isNaN(offsetMs)) return local - offsetMs;
  throw new EvaluationError('D3154', { value: text });
};

/** The local time that has these components. */
const complete = (values: ReadonlyMap<string, number>, componentNow: (letter: string) => number): number => {
  const incomplete = () => new EvaluationError('D3136');
  const has = (letter: string): boolean => values.has(letter);
  const { h: half, P: isAfternoon } = Object.fromEntries(values);
  const isHalf = !has('H') && half !== undefined && isAfternoon !== undefined;
  const hour = isHalf ? (half % 12) + 12 * isAfternoon : values.get('H');
  if (hour === undefined && (has('h') || has('P'))) throw incomplete();
  const isDayOfYear = has('d') && !has('M') && !has('D');
  if (!isDayOfYear && !has('D') && [...'XWxw'].some(has)) throw incomplete();
  const order = isDayOfYear ? [...'YdHmsf'] : [...'YMDHmsf'];
  const fields: Record<string, number> = {};
  let isBefore = true;
  let isAfter = false;
  for (const letter of order) {
    const value = letter === 'H' ? hour : values.get(letter);
    if (value !== undefined && isAfter) throw incomplete();
    if (value !== undefined) isBefore = false;
    else if (!isBefore) isAfter = true;
    fields[letter] = value ?? (isBefore ? componentNow(letter) : 'MDd'.includes(letter) ? 1 : 0);
  }
  if (isBefore) throw incomplete();
  const { Y = 0, M = 1, D = 1, d = D, H = 0, m = 0, s = 0, f = 0 } = fields;
  const date = new Date(0);
  date.setUTCFullYear(Y, M - 1, d);
  return date.setUTCHours(H, m, s, f);
};
