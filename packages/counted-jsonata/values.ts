/** How JSONata writes numbers and tests objects, for a fast path beside the evaluator; loads no parser. */
export { roundNumber } from './src/stringify.ts';
export { hasMembers } from './src/values.ts';
