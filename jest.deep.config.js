import config from './jest.config.js';

/** Suites of minutes for what few changes reach; the nightly run has them. */
const nightly = ['cdk', 'release', 'restore-drill', 'stage-deploy', 'stage-mutations'].map(
  (name) => `/tests/deep/${name}.test.ts$`,
);

/** The suites of the running service, the package, processes, pages and scripts, which `npm test` leaves out. */
export default {
  ...config,
  globalSetup: '<rootDir>/tests/support/runner/shared-server.ts',
  globalTeardown: '<rootDir>/tests/support/runner/stop-shared-server.ts',
  testMatch: [
    ...['deep', 'e2e', 'instruments', 'scripts'].map((folder) => `tests/${folder}`),
    'packages/{lambda-stage,local}/tests',
    'packages/console/tests/serve',
  ].map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  testPathIgnorePatterns: ['/node_modules/', ...nightly],
};
