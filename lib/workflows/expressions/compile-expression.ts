import { compileLate } from './jsonata-expression.ts';
import { compilePlainPath, NEEDS_JSONATA } from './plain-path.ts';
import type { Evaluate } from './scope.ts';

/**
 * Compiles the text between `{{` and `}}`. JSONata itself is loaded when the first expression needs it.
 * @param place tells the expressions of one node apart: each has random numbers of its own
 */
export const compileExpression = (source: string, place = ''): Evaluate => {
  const text = source.trim();
  const evaluateAll = compileLate(text, place);
  const follow = compilePlainPath(text);
  if (follow === null) return evaluateAll;
  return (scope) => {
    const found = follow(scope);
    return found === NEEDS_JSONATA ? evaluateAll(scope) : found;
  };
};
