import { parse as parseAnew } from '@hookloom/counted-jsonata';
import { shareByText } from '../../../../lib/workflows/expressions/compile-expression.ts';

/**
 * Parses an expression once for all checks, which don't change the tree.
 * @throws SyntaxProblem that says what is wrong and where
 */
export const parse = shareByText(parseAnew);
