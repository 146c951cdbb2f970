/** Loaded by requests that want a page or submit an answer to validate. */
export { askPage, decidedPage, problemPage } from './callback-pages.ts';
export { readAnswer } from './read-answer.ts';
