import { compileLazily } from './jsonata-expression.ts';
import { compilePlainPath, NEEDS_JSONATA } from './plain-path.ts';
import type { Evaluate } from './scope.ts';

/**
 * Compiles the text between `{{` and `}}`. Plain paths are evaluated without loading JSONata.
 * @param place - unique per expression of a node, so that each has random numbers of its own
 */
export const compileExpression = (source: string, place = ''): Evaluate => {
  const text = source.trim();
  const evaluate = compileLazily(text, place);
  const followPath = compilePlainPath(text);
  if (followPath === null) return evaluate;
  return (scope) => {
    const found = followPath(scope);
    return found === NEEDS_JSONATA ? evaluate(scope) : found;
  };
};
