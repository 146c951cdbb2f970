import config from './jest.config.js';

/** The suites that take minutes: `npm run test:deep`. */
export default {
  ...config,
  testMatch: ['<rootDir>/tests/deep/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 400_000,
};
