/**
 * What searches (random graphs, fuzzing, crashes at any point), or is large or slow by nature, has a few of its cases in
 * `npm test` and all of them in `npm run test:deep`.
 */
export const cases = <T>(few: T, all: T): T => (process.env.HOOKLOOM_TESTS === 'deep' ? all : few);
