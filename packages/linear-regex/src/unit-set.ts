/** A range of characters, both ends inclusive: UTF-16 units, or code points with the flag `u`. */
export type UnitRange = readonly [from: number, to: number];

/** A set of characters: those in the ranges, and those that have one of the Unicode properties. */
export interface CharacterClass {
  readonly ranges: readonly UnitRange[];
  /** Each is a pattern that matches one character, such as `/^\p{L}$/u`. */
  readonly properties: readonly RegExp[];
}

const lastUnit = 0xffff;
const lastCodePoint = 0x10ffff;

const lineTerminators: readonly UnitRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

const digits: readonly UnitRange[] = [[0x30, 0x39]];

const wordUnits: readonly UnitRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** ECMAScript's WhiteSpace and LineTerminator. */
const blanks: readonly UnitRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const invert = (ranges: readonly UnitRange[]): UnitRange[] => {
  const others: UnitRange[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) others.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= lastCodePoint) others.push([next, lastCodePoint]);
  return others;
};

/** The units that `.` matches. */
export const allButLineTerminators: readonly UnitRange[] = invert(lineTerminators);

/** The units that `\d` and so on match. */
export const namedRanges: Readonly<Record<string, readonly UnitRange[]>> = {
  d: digits,
  D: invert(digits),
  w: wordUnits,
  W: invert(wordUnits),
  s: blanks,
  S: invert(blanks),
};

const asciiLetters: readonly UnitRange[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];

export const isWordUnit = (unit: number): boolean => isIn(wordUnits, unit);

export const isLineTerminator = (unit: number): boolean => isIn(lineTerminators, unit);

const isIn = (ranges: readonly UnitRange[], unit: number): boolean =>
  ranges.some(([from, to]) => unit >= from && unit <= to);

/**
 * ECMAScript's Canonicalize of a unit beyond ASCII, for patterns without the flag `u`, but for ı and ſ: they become I and S
 * here instead of themselves, as no other unit beyond ASCII does.
 */
const fold = (unit: number): number => {
  const upper = String.fromCharCode(unit).toUpperCase();
  return upper.length === 1 ? upper.charCodeAt(0) : unit;
};

/** The units beyond ASCII that are equal when case is ignored, by folded unit; computed on first use. */
let unitsByFold: Map<number, number[]> | null = null;

const caseVariants = (unit: number): readonly number[] => {
  // Case folding never maps between ASCII and other units, and each ASCII letter has exactly one counterpart.
  if (unit < 128) return [unit, isIn(asciiLetters, unit) ? unit ^ 0x20 : unit];
  if (unitsByFold === null) {
    unitsByFold = new Map();
    for (let other = 128; other <= lastUnit; other++) {
      const folded = fold(other);
      const known = unitsByFold.get(folded);
      if (known === undefined) unitsByFold.set(folded, [other]);
      else known.push(other);
    }
  }
  return unitsByFold.get(fold(unit)) ?? [unit];
};

/** A set of UTF-16 code units or code points, with a lookup table for ASCII. */
export class UnitSet {
  readonly #ranges: readonly UnitRange[];
  readonly #properties: readonly RegExp[];
  readonly #negated: boolean;
  readonly #ignoresCase: boolean;
  readonly #ascii = new Uint8Array(128);

  /** @param ignoresCase - allowed only without the flag `u`, which has different case rules */
  constructor({ ranges, properties }: CharacterClass, negated: boolean, ignoresCase: boolean) {
    this.#ranges = ranges;
    this.#properties = properties;
    this.#negated = negated;
    this.#ignoresCase = ignoresCase;
    for (let unit = 0; unit < 128; unit++) this.#ascii[unit] = this.#find(unit) ? 1 : 0;
  }

  has(unit: number): boolean {
    return unit < 128 ? this.#ascii[unit] === 1 : this.#find(unit);
  }

  #find(unit: number): boolean {
    const isThere = this.#ignoresCase
      ? caseVariants(unit).some((other) => isIn(this.#ranges, other))
      : isIn(this.#ranges, unit) || this.#hasProperty(unit);
    return isThere !== this.#negated;
  }

  #hasProperty(code: number): boolean {
    return this.#properties.some((property) => property.test(String.fromCodePoint(code)));
  }
}
