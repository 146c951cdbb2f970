import type { Instruction, Program } from './compile-pattern.ts';
import { isLineTerminator, isWordUnit } from './unit-set.ts';

/** Start and end offsets of the match and of each group; -1 for a group that did not match. */
type Captures = readonly number[];

/** Number of instructions that count as one step of an evaluation. */
const instructionsPerStep = 8;

/** The matches that are still possible at one offset of the text, in order of preference. */
interface Threads {
  readonly at: number[];
  readonly captures: Captures[];
}

/**
 * Finds the first match at or after an offset. It is the match that a backtracking engine finds: the leftmost, then the
 * preferred one. All possible matches are followed in parallel (Thompson's construction with captures,
 * https://swtch.com/~rsc/regexp/regexp2.html), so the work is at most the length of the text times the length of the
 * program.
 * @param spend - receives the steps taken, and throws beyond a limit
 */
export const search = (
  program: Program,
  text: string,
  from: number,
  spend: (steps: number) => void,
): Captures | null => {
  const { instructions } = program;
  /**
   * The last offset at which an instruction was reached, plus one; by instruction and enclosing iterations that are
   * still empty. A second thread that reaches the instruction at the same offset has the same continuations and a lower
   * preference, so it is dropped.
   */
  const reached = new Int32Array(instructions.length << program.rounds);
  const noCaptures: Captures = new Array(2 * (program.groups + 1)).fill(-1);
  const stack: number[] = [];
  const stackCaptures: Captures[] = [];
  const stackRounds: number[] = [];
  let now: Threads = { at: [], captures: [] };
  let next: Threads = { at: [], captures: [] };
  let work = reached.length / 8;

  const push = (at: number, captures: Captures, rounds: number): void => {
    stack.push(at);
    stackCaptures.push(captures);
    stackRounds.push(rounds);
  };

  /** Follows a thread to the instructions that read a unit or end the match. */
  const follow = (threads: Threads, start: number, startCaptures: Captures, place: number): void => {
    push(start, startCaptures, 0);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const captures = stackCaptures.pop() as Captures;
      const rounds = stackRounds.pop() as number;
      const instruction = instructions[at] as Instruction;
      // Once a unit has been read, no enclosing iteration is empty.
      const state = (at << program.rounds) | (instruction.type === 'set' ? 0 : rounds);
      if (reached[state] === place + 1) continue;
      reached[state] = place + 1;
      work++;
      switch (instruction.type) {
        case 'jump':
          push(instruction.to, captures, rounds);
          break;
        case 'split':
          push(instruction.second, captures, rounds);
          push(instruction.first, captures, rounds);
          break;
        case 'save':
          work += captures.length / 8;
          push(at + 1, captures.with(instruction.slot, place), rounds);
          break;
        case 'reset':
          work += captures.length / 8;
          push(at + 1, clear(captures, instruction), rounds);
          break;
        case 'enter':
          push(at + 1, captures, rounds | instruction.bit);
          break;
        case 'leave':
          if ((rounds & instruction.bit) === 0) push(at + 1, captures, rounds);
          break;
        case 'assert':
          if (holds(program, instruction.kind, text, place)) push(at + 1, captures, rounds);
          break;
        default:
          threads.at.push(at);
          threads.captures.push(captures);
      }
    }
  };

  let found: Captures | null = null;
  let width = 1;
  for (let place = from; place <= text.length; place += width) {
    if (found === null) {
      if (now.at.length === 0) {
        if (program.anchored && place > 0) break;
        const start = skip(program, text, place);
        work += (start - place) / 4;
        if (start > text.length) break;
        place = start;
      }
      follow(now, 0, noCaptures, place);
    }
    const unit = place < text.length ? unitAt(program, text, place) : -1;
    width = unit > LAST_UNIT ? 2 : 1; // a surrogate pair is one character
    if (found !== null && now.at.length === 0) break;
    for (const [index, at] of now.at.entries()) {
      const instruction = instructions[at] as Instruction;
      const captures = now.captures[index] as Captures;
      work++;
      if (instruction.type !== 'set') {
        found = captures;
        break; // a match: later threads have a lower preference
      }
      if (instruction.set.has(unit)) follow(next, at + 1, captures, place + width);
    }
    [now, next] = [next, now];
    next.at.length = 0;
    next.captures.length = 0;
    if (work > 1_000) {
      spend(work / instructionsPerStep);
      work = 0;
    }
  }
  spend(work / instructionsPerStep);
  return found;
};

const clear = (captures: Captures, { from, to }: { readonly from: number; readonly to: number }): Captures =>
  [...captures].fill(-1, from, to);

const LAST_UNIT = 0xffff;

/** The character at an offset within the text. */
const unitAt = ({ unicode }: Program, text: string, place: number): number =>
  (unicode ? text.codePointAt(place) : undefined) ?? text.charCodeAt(place);

/** The next offset at which a match can begin; past the end of the text if there is none. */
const skip = (program: Program, text: string, from: number): number => {
  const { first } = program;
  if (first === null) return from;
  let place = from;
  while (place < text.length) {
    const unit = unitAt(program, text, place);
    if (first.some((set) => set.has(unit))) return place;
    place += unit > LAST_UNIT ? 2 : 1;
  }
  return text.length + 1;
};

const holds = (
  { multiline }: Program,
  kind: 'start' | 'end' | 'boundary' | 'no boundary',
  text: string,
  place: number,
): boolean => {
  if (kind === 'start') {
    return place === 0 || (multiline && isLineTerminator(text.charCodeAt(place - 1)));
  }
  if (kind === 'end') {
    return place === text.length || (multiline && isLineTerminator(text.charCodeAt(place)));
  }
  // Outside of the text, the unit is NaN.
  const before = isWordUnit(text.charCodeAt(place - 1));
  const behind = isWordUnit(text.charCodeAt(place));
  return (before !== behind) === (kind === 'boundary');
};
