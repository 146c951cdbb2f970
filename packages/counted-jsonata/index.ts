/** Evaluates JSONata with bounded work. See the README. */

export { describeError, type Environment, evaluate } from './evaluate-expression.ts';
export { loadNatives, type Natives } from './natives.ts';
export { type ParsedExpression, parse, SyntaxProblem } from './parse.ts';
export { suggestLuxonFormat, suggestPicture } from './src/date-pictures.ts';
export { EvaluationError } from './src/evaluation-error.ts';
