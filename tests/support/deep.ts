/**
 * What searches (random graphs, fuzzing, crashes at any point), or is large or slow by nature, has a few of its cases in
 * `npm test` and `npm run test:deep`, and all of them in `npm run test:nightly`.
 */
export const cases = <T>(few: T, all: T): T => (process.env.HOOKLOOM_TESTS === 'nightly' ? all : few);

/**
 * How long a test waits for a page or another process, in milliseconds: as long as a slow machine needs, since speed is the
 * benchmarks' subject, and less than the time-out of tests, so that the failure says what did not come.
 */
export const PATIENCE_MS = cases(90_000, 500_000);
