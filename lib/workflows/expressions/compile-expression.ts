import { compileLazily } from './jsonata-expression.ts';
import type { Evaluate } from './scope.ts';
import { shareByText } from './share-by-text.ts';
import { compileSimple } from './simple-expression.ts';
import { NEEDS_JSONATA } from './simple-operators.ts';

const compileShared = shareByText(compileSimple);

/**
 * Compiles the text between `{{` and `}}`. Simple expressions are evaluated without loading JSONata.
 * @param place - unique per expression of a node, so that each has random numbers of its own
 */
export const compileExpression = (source: string, place = ''): Evaluate => {
  const text = source.trim();
  const evaluate = compileLazily(text, place);
  const evaluateSimple = compileShared(text);
  if (evaluateSimple === null) return evaluate;
  return (scope) => {
    const found = evaluateSimple(scope);
    if (found === NEEDS_JSONATA) return evaluate(scope);
    return found === scope.nodes ? { ...scope.nodes } : found; // `nodes` changes during a run
  };
};
