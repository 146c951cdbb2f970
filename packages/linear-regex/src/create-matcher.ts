import type { Program } from './compile-pattern.ts';
import type { Assertion } from './parse-pattern.ts';
import { isLineTerminator, isWordUnit, type UnitSet } from './unit-set.ts';

/** What assertions see on one side of a position in the text. */
type Side = 'edge' | 'word' | 'line end' | 'other';

/** All matches that are still possible at a position in the text. */
interface State {
  /** Indexes of the instructions to continue with, ascending. */
  readonly open: readonly number[];
  readonly before: Side;
  /** The next state, by the class of the next unit. */
  readonly next: (State | typeof matched | typeof failed)[];
  /** Whether the text matches if it ends in this state. */
  atEnd?: boolean;
}

const matched = 'matched';
const failed = 'failed';

const LAST_UNIT = 0xffff;

/**
 * Maximum number of cached instructions and transitions, and of cached character classes. Beyond it, the cache is
 * cleared and rebuilt.
 */
const MAX_KEPT = 50_000;

/**
 * @param spend - receives the work, in instructions followed, and throws beyond a limit; reading a unit costs a quarter
 * @returns whether there is a match anywhere in the text
 */
type Matches = (text: string, spend: (work: number) => void) => boolean;

/**
 * Turns a program into a check for a match, without its position. It builds an automaton lazily and
 * caches its states (https://swtch.com/~rsc/regexp/regexp1.html), so that a unit costs one table lookup, while `search`
 * follows every possible match. Iterations that must not be empty need no special treatment here: if a match goes
 * through an empty iteration, there is one without it.
 */
export const createMatcher = (program: Program): Matches => {
  const { instructions, anchored, multiline, unicode } = program;
  const sets = instructions.flatMap((instruction) => (instruction.type === 'set' ? [instruction.set] : []));
  const seesSides = instructions.some(({ type }) => type === 'assert');
  const toSide = (unit: number): Side => (seesSides ? sideOf(unit) : 'other');
  const classes = createClasses(sets, toSide);
  const marks = new Uint32Array(instructions.length);
  let round = 0;
  let states = new Map<string, State>();
  let kept = 0;

  const toState = (open: readonly number[], before: Side): State => {
    const key = `${before} ${open.join()}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    kept += open.length + sets.length + 10;
    if (kept > MAX_KEPT) {
      states = new Map();
      kept = 0;
    }
    const state: State = { open, before, next: [] };
    states.set(key, state);
    return state;
  };

  /** Follows all paths up to the instructions that read a unit; null if a path matches before that. */
  const follow = ({ open, before }: State, behind: Side, spend: (work: number) => void): number[] | null => {
    round += 1;
    const reading: number[] = [];
    const stack = [...open, 0];
    let work = 0;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (marks[at] === round) continue;
      marks[at] = round;
      work += 1;
      const instruction = instructions[at];
      switch (instruction?.type) {
        case 'match':
          return null;
        case 'set':
          reading.push(at);
          break;
        case 'split':
          stack.push(instruction.first, instruction.second);
          break;
        case 'jump':
          stack.push(instruction.to);
          break;
        case 'assert':
          if (holds(instruction.kind, before, behind, multiline)) stack.push(at + 1);
          break;
        default:
          stack.push(at + 1);
      }
    }
    spend(work);
    return reading;
  };

  const step = (state: State, unit: number, spend: (work: number) => void): State['next'][number] => {
    const behind = toSide(unit);
    const reading = follow(state, behind, spend);
    if (reading === null) return matched;
    const open = reading.filter((at) => {
      const instruction = instructions[at];
      return instruction?.type === 'set' && instruction.set.has(unit);
    });
    if (open.length === 0 && anchored) return failed;
    return toState(
      open.map((at) => at + 1).sort((a, b) => a - b),
      behind,
    );
  };

  return (text, spend) => {
    spend(text.length / 4);
    let state = toState([], 'edge');
    for (let place = 0; place < text.length; place++) {
      const unit = (unicode ? text.codePointAt(place) : undefined) ?? text.charCodeAt(place);
      if (unit > LAST_UNIT) place++; // the second half of a surrogate pair
      const unitClass =
        (unit < 128 ? classes.ascii[unit] : classes.others.get(unit)) ?? classes.classify(unit, spend);
      let next = state.next[unitClass];
      if (next === undefined) {
        next = step(state, unit, spend);
        state.next[unitClass] = next;
      }
      if (next === matched) return true;
      if (next === failed) return false;
      state = next;
    }
    state.atEnd ??= follow(state, 'edge', spend) === null;
    return state.atEnd;
  };
};

/**
 * Assigns numbers to classes of units. Units that no set or assertion distinguishes share a class, which gets its
 * number when its first unit occurs.
 */
const createClasses = (sets: readonly UnitSet[], toSide: (unit: number) => Side) => {
  const numbers = new Map<string, number>();
  const ascii: number[] = [];
  const others = new Map<number, number>();
  return {
    ascii,
    others,
    classify: (unit: number, spend: (work: number) => void): number => {
      spend(sets.length);
      const key = `${toSide(unit)} ${sets.map((set) => Number(set.has(unit))).join('')}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      if (unit < 128) ascii[unit] = number;
      else {
        if (others.size >= MAX_KEPT) others.clear();
        others.set(unit, number);
      }
      return number;
    },
  };
};

const sideOf = (unit: number): Side => {
  if (isWordUnit(unit)) return 'word';
  return isLineTerminator(unit) ? 'line end' : 'other';
};

const holds = (kind: Assertion, before: Side, behind: Side, multiline: boolean): boolean => {
  const isEdge = (side: Side): boolean => side === 'edge' || (multiline && side === 'line end');
  if (kind === 'start') return isEdge(before);
  if (kind === 'end') return isEdge(behind);
  return ((before === 'word') !== (behind === 'word')) === (kind === 'boundary');
};
