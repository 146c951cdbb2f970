import config from './jest.config.js';

/** The suites of the running service, the package, processes, pages and scripts, which `npm test` leaves out. */
export default {
  ...config,
  testMatch: ['deep', 'e2e', 'instruments', 'local', 'scripts'].map(
    (folder) => `<rootDir>/tests/${folder}/**/*.test.ts`,
  ),
  testPathIgnorePatterns: ['/node_modules/'],
};
