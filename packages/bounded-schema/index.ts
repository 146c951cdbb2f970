/** JSON Schema validation with bounded work. See the README. */
export { isMap, type JsonMap } from './src/bound-schema.ts';
export { compileJsonSchema, describeErrors, findErrors, isDraft7 } from './src/compile-json-schema.ts';
export { findMistakes, type Mistake } from './src/find-mistakes.ts';
export { findSchemaFault, findUnsupported } from './src/find-schema-fault.ts';
