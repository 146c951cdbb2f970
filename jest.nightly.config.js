import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'nightly'; // inherited by the workers; tests/support/deep.ts reads it

/** All suites with all their cases, and the mutation tests. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
