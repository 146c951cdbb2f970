import { hexOf, isEscape, readAt } from './read-escapes.ts';

/** The range of an encoded secret in a text. */
type Range = readonly [from: number, to: number];

/** How many layers of base64 and hexadecimal digits are decoded. */
const MAX_LAYERS = 3;

/** The most digits that a character of a secret can take: hexadecimal digits in all layers. */
const MAX_GROWTH = 2 ** MAX_LAYERS;

/** Comparisons per unit of a text: a text that needs more was crafted to be hard to search. */
const MAX_STEPS = 64;
const MIN_STEPS = 1_000_000;
/** The cost of reading an escape, and the cost per reading of an escape with several layers. */
const ESCAPE_STEPS = 16;
const USUAL_READINGS = 3;
const UNUSUAL_STEPS = 200;

/** @returns the ranges of secrets; null for a text that takes too many steps and must not be shown at all */
type FindSecrets = (text: string) => readonly Range[] | null;

/**
 * Creates a search for secrets in any encoding. At each position, the escapes of JSON, HTML and URLs are decoded; runs
 * of base64 or hexadecimal digits, which may themselves be escaped, are decoded and searched in turn.
 *
 * @param secrets - non-empty strings
 */
export const createFindSecrets = (secrets: readonly string[]): FindSecrets => {
  const byFirst = new Map<number, string[]>();
  for (const secret of secrets) {
    const first = secret.charCodeAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), secret]);
  }
  /** The units that a secret may begin with, verbatim or escaped. */
  const begins = new Uint8Array(0x10000);
  for (const first of byFirst.keys()) begins[first] = 1;
  for (let unit = 0; unit < 0x80; unit++) if (isEscape(unit)) begins[unit] = 1;
  const shortest = secrets.reduce(
    (least, secret) => Math.min(least, secret.length),
    Number.POSITIVE_INFINITY,
  );
  const digits = toDigits(shortest);
  const overlap = MAX_GROWTH * secrets.reduce((most, secret) => Math.max(most, secret.length), 0);

  return (text) => {
    const budget = { left: MIN_STEPS + MAX_STEPS * text.length };

    const search = (text: string, layers: number): Range[] => {
      const ranges: Range[] = [];
      const foundTo = new Map<string, number>();
      for (let at = 0; at + shortest <= text.length && budget.left > 0; at++) {
        if (begins[text.charCodeAt(at)] === 0) continue;
        const readings = readAt(text, at);
        if (readings.length > USUAL_READINGS) budget.left -= readings.length * UNUSUAL_STEPS;
        for (const [unit, next] of readings) {
          for (const secret of byFirst.get(unit) ?? []) {
            if (at < (foundTo.get(secret) ?? 0)) continue;
            const to = matchRest(text, next, secret, budget);
            if (to === -1) continue;
            ranges.push([at, to]);
            foundTo.set(secret, to);
          }
        }
      }
      if (layers > 0 && budget.left > 0)
        for (const run of findRuns(text, digits, overlap))
          for (const { bytes, at } of decodeRun(run, shortest))
            for (const [from, to] of search(bytes, layers - 1)) ranges.push(at(from, to));
      return ranges;
    };

    const ranges = search(text, MAX_LAYERS);
    return budget.left > 0 ? ranges : null;
  };
};

/** Matches a secret after its first unit, whichever parts are escaped. @returns where it ends; -1 if it does not match */
const matchRest = (text: string, from: number, secret: string, budget: { left: number }): number => {
  let failed: Set<number> | null = null;
  const match = (start: number, first: number): number => {
    let at = start;
    for (let index = first; index < secret.length; index++) {
      if (--budget.left <= 0) return -1;
      const wanted = secret.charCodeAt(index);
      const unit = text.charCodeAt(at);
      if (!isEscape(unit)) {
        if (unit !== wanted) return -1;
        at += 1;
        continue;
      }
      budget.left -= ESCAPE_STEPS;
      const ends = readAt(text, at).flatMap(([read, next]) => (read === wanted ? [next] : []));
      // The longest is tried last: the others, such as a literal character, mostly fail at once.
      const [end, ...others] = ends.toSorted((a, b) => b - a);
      if (end === undefined) return -1;
      if (others.length > 0) {
        failed ??= new Set();
        const place = at * secret.length + index;
        if (failed.has(place)) return -1;
        failed.add(place);
        for (const other of others) {
          const found = match(other, index + 1);
          if (found !== -1) return found;
        }
      }
      at = end;
    }
    return at;
  };
  return match(from, 1);
};

/** A run of base64 digits in a text that may escape them. */
interface Run {
  readonly digits: string;
  /** Where each digit begins and ends in the text. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The number of base64 digits fully determined by a number of bytes. */
const toDigits = (bytes: number): number => Math.max(6, Math.floor((bytes * 8) / 6) - 1);

const isDigit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  unit === 0x2b ||
  unit === 0x2f ||
  unit === 0x2d ||
  unit === 0x5f;

const isLineEnd = (unit: number): boolean => unit === 0x0a || unit === 0x0d;

/** Digits decoded at once: longer runs are split into overlapping pieces to bound memory. */
const PIECE = 65_536;

/** Finds runs of digits, which may contain line breaks. */
function* findRuns(text: string, shortest: number, overlap: number): Generator<Run> {
  let digits: number[] = [];
  let from: number[] = [];
  let to: number[] = [];
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    const [digit, next] = isDigit(unit) ? [unit, at + 1] : readDigit(text, at, unit);
    if (digit !== null && !isLineEnd(digit)) {
      digits.push(digit);
      from.push(at);
      to.push(next);
    }
    at = next;
    const isEnd = digit === null || at >= text.length;
    if (!isEnd && digits.length < PIECE + overlap) continue;
    if (digits.length >= shortest) yield { digits: textOfUnits(digits), from, to };
    const kept = isEnd ? digits.length : digits.length - overlap;
    if (kept > 0) {
      digits = digits.slice(kept);
      from = from.slice(kept);
      to = to.slice(kept);
    }
  }
}

/** An escaped digit, or a line break within a run; null for anything else. */
const readDigit = (text: string, at: number, unit: number): readonly [digit: number | null, next: number] => {
  if (isLineEnd(unit)) return [unit, at + 1];
  if (!isEscape(unit)) return [null, at + 1];
  return readAt(text, at).find(([read]) => isDigit(read) || isLineEnd(read)) ?? [null, at + 1];
};

const SLICE = 8_192;

const textOfUnits = (units: readonly number[]): string => {
  let text = '';
  for (let at = 0; at < units.length; at += SLICE)
    text += String.fromCharCode(...units.slice(at, at + SLICE));
  return text;
};

/** A possible decoding of a run of digits. */
interface Decoded {
  /** Each byte as the character with its code. */
  readonly bytes: string;
  /** The text range of a byte range. */
  at(from: number, to: number): Range;
}

const HEX_RUNS = /[\da-fA-F]{12,}/g;

function* decodeRun(run: Run, shortest: number): Generator<Decoded> {
  const place = (first: number, last: number): Range => [run.from[first] ?? 0, run.to[last] ?? 0];
  const standard = run.digits.replaceAll('-', '+').replaceAll('_', '/');
  for (let offset = 0; offset < 4; offset++) {
    const digits = standard.slice(offset);
    // A final group of one digit encodes no byte.
    const bytes = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
    yield {
      bytes,
      at: (from, to) =>
        place(
          offset + Math.floor((from * 4) / 3),
          offset + Math.min(digits.length, Math.ceil((to * 4) / 3)) - 1,
        ),
    };
  }
  for (const { 0: hex, index } of run.digits.matchAll(HEX_RUNS)) {
    if (hex.length < 2 * shortest) continue;
    for (const offset of [0, 1]) {
      const bytes: number[] = [];
      for (let at = offset; at + 1 < hex.length; at += 2)
        bytes.push(hexOf(hex.charCodeAt(at)) * 16 + hexOf(hex.charCodeAt(at + 1)));
      yield {
        bytes: textOfUnits(bytes),
        at: (from, to) => place(index + offset + 2 * from, index + offset + 2 * to - 1),
      };
    }
  }
}
