import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'deep'; // inherited by the workers; tests/support/deep.ts reads it

/** All suites with all their cases, and those of tests/deep/ and tests/mutation/: `npm run test:deep`. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
