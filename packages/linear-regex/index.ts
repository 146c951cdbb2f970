/** Regular expressions that match in linear time. See the README. */
export { compilePattern, type Program } from './src/compile-pattern.ts';
export { createMatcher } from './src/create-matcher.ts';
export { UnsupportedPattern } from './src/parse-pattern.ts';
export { search } from './src/search.ts';
