import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'deep'; // inherited by the workers; tests/support/deep.ts reads it

/** All suites with all their cases, and those of tests/deep/: `npm run test:deep`, some minutes. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
