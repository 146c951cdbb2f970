import { compilePattern, type Program, search } from '@hookloom/linear-regex';
import { EvaluationError } from './evaluation-error.ts';
import type { Run } from './run.ts';
import type { NodeOf } from './syntax-tree.ts';
import { Func } from './values.ts';

/** The result of a matcher, which is a regular expression or a function used in its place. */
export interface Match {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
  /** Returns the next match, or undefined. */
  readonly next: Func;
}

const programs = new WeakMap<RegExp, Program>();

/** The program of a pattern, compiled once. @throws UnsupportedPattern */
export const programOf = (pattern: RegExp): Program => {
  let program = programs.get(pattern);
  if (program === undefined) {
    program = compilePattern(pattern);
    programs.set(pattern, program);
  }
  return program;
};

/** `/pattern/`: a function that finds the first match in a text. */
export const evaluateRegex = (run: Run, node: NodeOf<'regex'>): Func => {
  const program = programOf(node.value);
  return new Func(2, ([text, from]) => {
    if (typeof text !== 'string') throw new EvaluationError('T0410', { index: 1 }).at(node.position);
    return find(run, node, program, text, typeof from === 'number' ? from : 0);
  });
};

const find = (
  run: Run,
  node: NodeOf<'regex'>,
  program: Program,
  text: string,
  from: number,
): Match | undefined => {
  const captures = search(program, text, from, (steps) => run.budget.spend(steps));
  if (captures === null) return undefined;
  const [start = 0, end = 0] = captures;
  const groups = Array.from({ length: program.groups }, (_, index) => {
    const [groupStart = -1, groupEnd = -1] = captures.slice(2 * index + 2, 2 * index + 4);
    return groupStart === -1 || groupEnd === -1 ? undefined : text.slice(groupStart, groupEnd);
  });
  const next = new Func(0, () => {
    if (end >= text.length) return undefined;
    const following = find(run, node, program, text, end);
    if (following?.match === '') throw new EvaluationError('D1004').at(node.position);
    return following;
  });
  return { match: text.slice(start, end), start, end, groups, next };
};
