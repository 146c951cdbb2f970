/** Runs JavaScript with limits on steps and memory. See the README. */
export { findSyntaxError, runCode } from './src/run-code.ts';
