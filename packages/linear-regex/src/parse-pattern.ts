import { allButLineTerminators, type CharacterClass, namedRanges, type UnitRange } from './unit-set.ts';

/** A regular expression as a tree. */
export type Pattern =
  | ({ readonly type: 'set'; readonly negated: boolean } & CharacterClass)
  | { readonly type: 'assertion'; readonly kind: Assertion }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'choice'; readonly options: readonly Pattern[] }
  | { readonly type: 'group'; readonly index: number; readonly body: Pattern }
  | {
      readonly type: 'repeat';
      readonly body: Pattern;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
      /** The indexes of the groups inside; `to` is exclusive. */
      readonly groups: readonly [from: number, to: number];
    };

export type Assertion = 'start' | 'end' | 'boundary' | 'no boundary';

/** The pattern is too large or needs backtracking, whose cost is unbounded. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

const controlUnits: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
const quantifierPattern = /\{(\d{1,9})(?:(,)(\d{0,9}))?\}/y;

/**
 * Parses a pattern that the runtime's RegExp accepts without the flag `v`, by
 * https://tc39.es/ecma262/#sec-regular-expressions-patterns with annex B.
 *
 * @param unicode - the flag `u`: characters are code points instead of UTF-16 units
 * @throws UnsupportedPattern for lookaround, backreferences and flags within the pattern
 */
export const parsePattern = (source: string, unicode: boolean): { pattern: Pattern; groups: number } => {
  const parser = new PatternParser(source, unicode);
  return { pattern: parser.parseChoice(), groups: parser.groups };
};

class PatternParser {
  /** How many groups have been parsed so far. */
  groups = 0;
  readonly #source: string;
  readonly #unicode: boolean;
  readonly #hasNames: boolean;
  readonly #groupsInAll: number;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
    this.#hasNames = /\(\?<[^=!]/.test(source);
    this.#groupsInAll = countGroups(source);
  }

  parseChoice(): Pattern {
    const options = [this.#parseSequence()];
    while (this.#take('|')) options.push(this.#parseSequence());
    return { type: 'choice', options };
  }

  #parseSequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) {
      parts.push(this.#parseTerm());
    }
    return { type: 'sequence', parts };
  }

  #parseTerm(): Pattern {
    const before = this.groups;
    const body = this.#parseAtom();
    const bounds = this.#parseQuantifier();
    if (bounds === null) return body;
    const [min, max] = bounds;
    return {
      type: 'repeat',
      body,
      min,
      max,
      greedy: !this.#take('?'),
      groups: [before + 1, this.groups + 1],
    };
  }

  #parseQuantifier(): readonly [min: number, max: number] | null {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    quantifierPattern.lastIndex = this.#at;
    const match = quantifierPattern.exec(this.#source);
    if (match === null) return null;
    this.#at = quantifierPattern.lastIndex;
    const [, min = '', comma, max = ''] = match;
    if (comma === undefined) return [Number(min), Number(min)];
    return [Number(min), max === '' ? Number.POSITIVE_INFINITY : Number(max)];
  }

  #parseAtom(): Pattern {
    const char = this.#next();
    switch (char) {
      case '^':
        return { type: 'assertion', kind: 'start' };
      case '$':
        return { type: 'assertion', kind: 'end' };
      case '.':
        return { type: 'set', ...ofRanges(allButLineTerminators), negated: false };
      case '(':
        return this.#parseGroup();
      case '[':
        return this.#parseClass();
      case '\\':
        return this.#parseEscape();
      default:
        return { type: 'set', ...one(codeOf(char)), negated: false };
    }
  }

  #parseGroup(): Pattern {
    if (!this.#take('?')) return this.#parseCapture();
    if (this.#take(':')) return this.#close(this.parseChoice());
    if (this.#sees('=') || this.#sees('!') || this.#sees('<=') || this.#sees('<!')) {
      throw new UnsupportedPattern('lookahead and lookbehind, (?=…) (?!…) (?<=…) (?<!…), are not supported');
    }
    if (!this.#take('<')) {
      throw new UnsupportedPattern('flags within a pattern, (?i:…), are not supported');
    }
    this.#at = this.#source.indexOf('>', this.#at) + 1;
    return this.#parseCapture();
  }

  #parseCapture(): Pattern {
    const index = ++this.groups;
    return { type: 'group', index, body: this.#close(this.parseChoice()) };
  }

  #close(body: Pattern): Pattern {
    this.#take(')');
    return body;
  }

  #parseEscape(): Pattern {
    if (this.#take('b')) return { type: 'assertion', kind: 'boundary' };
    if (this.#take('B')) return { type: 'assertion', kind: 'no boundary' };
    const reference = /[1-9]\d*/y;
    reference.lastIndex = this.#at;
    const number = Number(reference.exec(this.#source)?.[0]); // NaN if there is none
    if (number <= this.#groupsInAll || (this.#hasNames && this.#sees('k'))) {
      throw new UnsupportedPattern('backreferences, such as \\1 and \\k<name>, are not supported');
    }
    return { type: 'set', ...this.#parseCharacterEscape(), negated: false };
  }

  #parseClass(): Pattern {
    const negated = this.#take('^');
    const ranges: UnitRange[] = [];
    const properties: RegExp[] = [];
    const add = (part: CharacterClass): void => {
      ranges.push(...part.ranges);
      properties.push(...part.properties);
    };
    while (!this.#take(']')) {
      const from = this.#parseClassMember();
      if (!this.#sees('-') || this.#sees('-]')) {
        add(from);
        continue;
      }
      this.#at++;
      const to = this.#parseClassMember();
      const low = onlyCharacter(from);
      const high = onlyCharacter(to);
      if (low !== null && high !== null) ranges.push([low, high]);
      else for (const part of [from, one(0x2d), to]) add(part);
    }
    return { type: 'set', ranges, properties, negated };
  }

  #parseClassMember(): CharacterClass {
    const char = this.#next();
    if (char !== '\\') return one(codeOf(char));
    if (this.#take('b')) return one(8);
    const control = this.#match(/c[0-9_]/y);
    if (control !== null) return one(control.charCodeAt(1) % 32);
    return this.#parseCharacterEscape();
  }

  /** Parses what follows a backslash, except assertions and references. */
  #parseCharacterEscape(): CharacterClass {
    if (this.#unicode) {
      const property = this.#match(/[pP]\{[^}]*\}/y);
      if (property !== null) return { ranges: [], properties: [new RegExp(`^\\${property}$`, 'u')] };
      const code = this.#match(/u\{[0-9a-fA-F]+\}/y);
      if (code !== null) return one(Number.parseInt(code.slice(2, -1), 16));
      const pair = this.#match(/u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y);
      if (pair !== null) return one(codeOf(JSON.parse(`"\\${pair}"`)));
    }
    const octal = this.#match(/[0-3][0-7]{0,2}|[4-7][0-7]?/y);
    if (octal !== null) return one(Number.parseInt(octal, 8));
    const hex = this.#match(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}/y);
    if (hex !== null) return one(Number.parseInt(hex.slice(1), 16));
    const control = this.#match(/c[A-Za-z]/y);
    if (control !== null) return one(control.charCodeAt(1) % 32);
    // `\c` without a letter means a backslash followed by a `c`.
    if (this.#sees('c')) return one(0x5c);
    const char = this.#next();
    const named = namedRanges[char];
    return named === undefined ? one(controlUnits[char] ?? codeOf(char)) : ofRanges(named);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #next(): string {
    const code = this.#unicode ? this.#source.codePointAt(this.#at) : undefined;
    const char = code === undefined ? this.#source.charAt(this.#at) : String.fromCodePoint(code);
    this.#at += Math.max(1, char.length);
    return char;
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }
}

const ofRanges = (ranges: readonly UnitRange[]): CharacterClass => ({ ranges, properties: [] });

const one = (code: number): CharacterClass => ofRanges([[code, code]]);

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;

/** The code of a class member that is one character; null for `\d` and so on, whose first ranges are longer. */
const onlyCharacter = ({ ranges: [[low, high] = [0, 1]] }: CharacterClass): number | null =>
  low === high ? low : null;

/** Number of capturing groups in a pattern: `\2` is a reference only if there are two. */
const countGroups = (source: string): number => {
  let count = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '(' && !inClass) {
      const isNamed = source.startsWith('(?<', at) && !/[=!]/.test(source.charAt(at + 3));
      if (isNamed || source[at + 1] !== '?') count++;
    }
  }
  return count;
};
