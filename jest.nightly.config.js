import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'nightly'; // inherited by the workers; tests/support/deep.ts reads it

/** All suites with all their cases, and the mutation tests. */
export default {
  ...config,
  globalSetup: '<rootDir>/tests/support/runner/shared-server.ts',
  globalTeardown: '<rootDir>/tests/support/runner/stop-shared-server.ts',
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 600_000,
};
