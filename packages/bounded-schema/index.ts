/** JSON Schema validation with bounded work. See the README. */
export { isMap } from './src/bound-schema.ts';
export { compileJsonSchema, isDraft7 } from './src/compile-json-schema.ts';
export { findErrors } from './src/find-errors.ts';
export { findMistakes, type Mistake } from './src/find-mistakes.ts';
export { findSchemaFault, findUnsupported } from './src/find-schema-fault.ts';
export type { JsonMap } from './src/json-map.ts';
