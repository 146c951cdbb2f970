/** Evaluates JSONata with bounded work. See the README. */

export { suggestLuxonFormat, suggestPicture } from './src/date-pictures.ts';
export { evaluate } from './src/evaluate.ts';
export { describeError, EvaluationError } from './src/evaluation-error.ts';
export { loadNatives } from './src/functions/natives.ts';
export type { Natives } from './src/native.ts';
export { type ParsedExpression, parse, SyntaxProblem } from './src/parse.ts';
export type { Environment } from './src/run.ts';
export { describeSignature } from './src/signature.ts';
export type { CallNode, Node } from './src/syntax-tree.ts';
