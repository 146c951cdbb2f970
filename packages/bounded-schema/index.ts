/** JSON Schema with a bound on its work. See the README. */
export { isMap } from './src/bound-schema.ts';
export { compileJsonSchema, isDraft7 } from './src/compile-json-schema.ts';
export { findErrors } from './src/find-errors.ts';
export type { JsonMap } from './src/json-map.ts';
