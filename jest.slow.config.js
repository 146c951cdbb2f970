import config from './jest.config.js';

process.env.HOOKLOOM_TESTS = 'slow'; // inherited by the workers; tests/support/runner/native-runner.js reads it

/**
 * The quick suites on a machine that is no help: servers are slow to answer and the clock runs fast
 * (tests/support/runner/slow-servers.js). What fails here and passes in `npm test` passes there by luck: `npm run test:slow`.
 */
export default {
  ...config,
  testTimeout: 20 * config.testTimeout, // on that clock
};
