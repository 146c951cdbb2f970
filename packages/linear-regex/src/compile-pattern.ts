import { type Assertion, type Pattern, parsePattern, UnsupportedPattern } from './parse-pattern.ts';
import { UnitSet } from './unit-set.ts';

/** An instruction of a program that reads the text once and follows all possible matches. */
export type Instruction =
  | { readonly type: 'set'; readonly set: UnitSet }
  | { readonly type: 'assert'; readonly kind: Assertion }
  /** Continues at both targets and prefers `first`. */
  | { readonly type: 'split'; first: number; second: number }
  | { readonly type: 'jump'; to: number }
  | { readonly type: 'save'; readonly slot: number }
  /** Clears what the groups inside a loop captured in the previous iteration. */
  | { readonly type: 'reset'; readonly from: number; readonly to: number }
  /** Start and end of an iteration that must not be empty: an empty one fails. */
  | { readonly type: 'enter' | 'leave'; readonly bit: number }
  | { readonly type: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  /** Maximum nesting depth of iterations that must not be empty; each takes one bit. */
  readonly rounds: number;
  /** Number of capturing groups, not counting the match itself. */
  readonly groups: number;
  readonly multiline: boolean;
  /** Whether the pattern reads code points instead of UTF-16 code units (the flag `u`). */
  readonly unicode: boolean;
  /** Whether the pattern can match only at the start of the text. */
  readonly anchored: boolean;
  /** The units that a match can begin with; null if a match can be empty or begins with an assertion. */
  readonly first: readonly UnitSet[] | null;
}

const maxInstructions = 10_000;
const maxRounds = 6;

/**
 * Compiles a pattern with the flags `m` and either `i` or `u`.
 *
 * @throws UnsupportedPattern when it needs backtracking, is too large or has other flags that change what matches
 */
export const compilePattern = ({ source, flags }: RegExp): Program => {
  if (/[svy]|im?u/.test(flags)) throw new UnsupportedPattern('its flags are not supported');
  const unicode = flags.includes('u');
  const { pattern, groups } = parsePattern(source, unicode);
  const emitter = new Emitter(flags.includes('i'));
  emitter.emit({ type: 'group', index: 0, body: pattern }, 0);
  const { instructions, rounds } = emitter;
  instructions.push({ type: 'match' });
  const multiline = flags.includes('m');
  const second = instructions[1];
  const anchored = !multiline && second?.type === 'assert' && second.kind === 'start';
  return { instructions, rounds, groups, multiline, unicode, anchored, first: findFirst(instructions) };
};

type Repeat = Extract<Pattern, { type: 'repeat' }>;

class Emitter {
  readonly instructions: Instruction[] = [];
  rounds = 0;
  readonly #ignoresCase: boolean;

  constructor(ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase;
  }

  /** @param level - the number of enclosing iterations that must not be empty */
  emit(pattern: Pattern, level: number): void {
    const { instructions } = this;
    if (instructions.length > maxInstructions || level > maxRounds) {
      throw new UnsupportedPattern('it is too large: nested repetition counts multiply');
    }
    switch (pattern.type) {
      case 'set':
        instructions.push({
          type: 'set',
          set: new UnitSet(pattern, pattern.negated, this.#ignoresCase),
        });
        break;
      case 'assertion':
        instructions.push({ type: 'assert', kind: pattern.kind });
        break;
      case 'sequence':
        for (const part of pattern.parts) this.emit(part, level);
        break;
      case 'group':
        instructions.push({ type: 'save', slot: 2 * pattern.index });
        this.emit(pattern.body, level);
        instructions.push({ type: 'save', slot: 2 * pattern.index + 1 });
        break;
      case 'choice':
        this.#emitChoice(pattern.options, level);
        break;
      case 'repeat':
        this.#emitRepeat(pattern, level);
        break;
    }
  }

  #emitChoice(options: readonly Pattern[], level: number): void {
    const jumps: Extract<Instruction, { type: 'jump' }>[] = [];
    for (const [index, option] of options.entries()) {
      const isLast = index === options.length - 1;
      const split = isLast ? null : this.#split();
      this.emit(option, level);
      if (split === null) continue;
      const jump: Extract<Instruction, { type: 'jump' }> = { type: 'jump', to: 0 };
      this.instructions.push(jump);
      jumps.push(jump);
      split.second = this.instructions.length;
    }
    for (const jump of jumps) jump.to = this.instructions.length;
  }

  #emitRepeat(repeat: Repeat, level: number): void {
    const { min, max, greedy } = repeat;
    for (let count = 0; count < min; count++) this.#emitRound(repeat, level);
    const splits: Extract<Instruction, { type: 'split' }>[] = [];
    const loop = this.instructions.length;
    const rounds = max === Number.POSITIVE_INFINITY ? 1 : max - min;
    for (let count = 0; count < rounds; count++) {
      splits.push(this.#split());
      this.#emitOptionalRound(repeat, level);
    }
    if (max === Number.POSITIVE_INFINITY) this.instructions.push({ type: 'jump', to: loop });
    for (const split of splits) {
      if (greedy) split.second = this.instructions.length;
      else split.first = this.instructions.length;
    }
  }

  #emitRound({ body, groups: [from, to] }: Repeat, level: number): void {
    if (to > from) this.instructions.push({ type: 'reset', from: 2 * from, to: 2 * to });
    this.emit(body, level);
  }

  /**
   * Emits an optional iteration. In ECMAScript, one that matches the empty string fails, so the next alternative is
   * tried.
   */
  #emitOptionalRound(repeat: Repeat, level: number): void {
    if (!canBeEmpty(repeat.body)) {
      this.#emitRound(repeat, level);
      return;
    }
    this.rounds = Math.max(this.rounds, level + 1);
    this.instructions.push({ type: 'enter', bit: 1 << level });
    this.#emitRound(repeat, level + 1);
    this.instructions.push({ type: 'leave', bit: 1 << level });
  }

  /** Emits a split, of which both targets are the next instruction until the caller sets one. */
  #split(): Extract<Instruction, { type: 'split' }> {
    const next = this.instructions.length + 1;
    const split: Extract<Instruction, { type: 'split' }> = { type: 'split', first: next, second: next };
    this.instructions.push(split);
    return split;
  }
}

const canBeEmpty = (pattern: Pattern): boolean => {
  switch (pattern.type) {
    case 'set':
      return false;
    case 'sequence':
      return pattern.parts.every(canBeEmpty);
    case 'choice':
      return pattern.options.some(canBeEmpty);
    case 'group':
      return canBeEmpty(pattern.body);
    case 'repeat':
      return pattern.min === 0 || canBeEmpty(pattern.body);
    default:
      return true;
  }
};

/** Finds the units that a match can begin with by following all paths from the start to their first unit. */
const findFirst = (program: readonly Instruction[]): readonly UnitSet[] | null => {
  const first: UnitSet[] = [];
  const seen = new Set<number>();
  const work = [0];
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const instruction = program[at];
    switch (instruction?.type) {
      case 'set':
        first.push(instruction.set);
        break;
      case 'split':
        work.push(instruction.first, instruction.second);
        break;
      case 'jump':
        work.push(instruction.to);
        break;
      case 'save':
      case 'reset':
      case 'enter':
      case 'leave':
        work.push(at + 1);
        break;
      default:
        return null;
    }
  }
  return first;
};
