/** Loaded by a request that wants a page, or brings an answer that is checked. */
export { askPage, decidedPage, problemPage } from './callback-pages.ts';
export { readAnswer } from './read-answer.ts';
