/**
 * How JSONata writes numbers and tests for objects, for a fast path that bypasses the evaluator. It loads no parser.
 */
export { roundNumber } from './src/stringify.ts';
export { sum } from './src/sum.ts';
export { hasMembers } from './src/values.ts';
