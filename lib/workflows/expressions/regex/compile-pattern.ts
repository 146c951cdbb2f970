import { type Assertion, type Pattern, parsePattern, UnsupportedPattern } from './parse-pattern.ts';
import { UnitSet } from './unit-set.ts';

/** One instruction of a program that goes over a text once, however many ways there are to match it. */
export type Instruction =
  | { readonly type: 'set'; readonly set: UnitSet }
  | { readonly type: 'assert'; readonly kind: Assertion }
  /** Both ways at once; the first one wins when both match. */
  | { readonly type: 'split'; first: number; second: number }
  | { readonly type: 'jump'; to: number }
  | { readonly type: 'save'; readonly slot: number }
  /** Forgets what groups inside of a loop have captured in the round before. */
  | { readonly type: 'reset'; readonly from: number; readonly to: number }
  | { readonly type: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  /** Capturing groups, without the match itself. */
  readonly groups: number;
  readonly multiline: boolean;
  /** Whether it can match at the start of the text only. */
  readonly anchored: boolean;
  /** Units that a match can begin with; null when it can begin with nothing, or at a certain place. */
  readonly first: readonly UnitSet[] | null;
}

const maxInstructions = 10_000;

/** @throws {UnsupportedPattern} for what can't be matched in one go, or is too large */
export const compilePattern = ({ source, flags }: RegExp): Program => {
  const { pattern, groups } = parsePattern(source);
  const instructions: Instruction[] = [];
  const ignoresCase = flags.includes('i');
  emit(instructions, { type: 'group', index: 0, body: pattern }, ignoresCase);
  instructions.push({ type: 'match' });
  const multiline = flags.includes('m');
  const second = instructions[1];
  const anchored = !multiline && second?.type === 'assert' && second.kind === 'start';
  return { instructions, groups, multiline, anchored, first: findFirst(instructions) };
};

const emit = (program: Instruction[], pattern: Pattern, ignoresCase: boolean): void => {
  if (program.length > maxInstructions) {
    throw new UnsupportedPattern('it is too large: the counts of its repetitions multiply');
  }
  switch (pattern.type) {
    case 'set':
      program.push({ type: 'set', set: new UnitSet(pattern.ranges, pattern.negated, ignoresCase) });
      break;
    case 'assertion':
      program.push({ type: 'assert', kind: pattern.kind });
      break;
    case 'sequence':
      for (const part of pattern.parts) emit(program, part, ignoresCase);
      break;
    case 'group':
      program.push({ type: 'save', slot: 2 * pattern.index });
      emit(program, pattern.body, ignoresCase);
      program.push({ type: 'save', slot: 2 * pattern.index + 1 });
      break;
    case 'choice':
      emitChoice(program, pattern.options, ignoresCase);
      break;
    case 'repeat':
      emitRepeat(program, pattern, ignoresCase);
      break;
  }
};

const emitChoice = (
  program: Instruction[],
  [first, ...others]: readonly Pattern[],
  ignoresCase: boolean,
): void => {
  if (first === undefined) return;
  if (others.length === 0) {
    emit(program, first, ignoresCase);
    return;
  }
  const split: Instruction = { type: 'split', first: program.length + 1, second: 0 };
  program.push(split);
  emit(program, first, ignoresCase);
  const jump: Instruction = { type: 'jump', to: 0 };
  program.push(jump);
  split.second = program.length;
  emitChoice(program, others, ignoresCase);
  jump.to = program.length;
};

const emitRepeat = (
  program: Instruction[],
  { body, min, max, greedy, groups: [from, to] }: Extract<Pattern, { type: 'repeat' }>,
  ignoresCase: boolean,
): void => {
  const emitBody = () => {
    if (to > from) program.push({ type: 'reset', from: 2 * from, to: 2 * to });
    emit(program, body, ignoresCase);
  };
  const emitSplit = () => {
    const at = program.length;
    const split: Extract<Instruction, { type: 'split' }> = { type: 'split', first: at + 1, second: at + 1 };
    program.push(split);
    return (end: number) => {
      if (greedy) split.second = end;
      else split.first = end;
    };
  };
  for (let count = 0; count < min; count++) emitBody();
  if (max === Number.POSITIVE_INFINITY) {
    const loop = program.length;
    const leaveAt = emitSplit();
    emitBody();
    program.push({ type: 'jump', to: loop });
    leaveAt(program.length);
    return;
  }
  const leaves: ((end: number) => void)[] = [];
  for (let count = min; count < max; count++) {
    leaves.push(emitSplit());
    emitBody();
  }
  for (const leaveAt of leaves) leaveAt(program.length);
};

/** What can come first: found by following every way from the start up to the first unit. */
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
        work.push(at + 1);
        break;
      default:
        return null;
    }
  }
  return first;
};
