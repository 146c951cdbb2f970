import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'deep'; // inherited by the workers; tests/support/deep.ts reads it

/** All suites with all their cases, those included that jest.config.js leaves out: `npm run test:deep`. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
