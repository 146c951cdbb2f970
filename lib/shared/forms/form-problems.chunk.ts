export { findFormProblems } from './find-form-problems.ts';
