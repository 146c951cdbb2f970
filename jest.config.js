export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tests/support/esbuild-transform.js' },
  coverageProvider: 'v8',
  collectCoverageFrom: ['lib/**/*.ts'],
  coverageThreshold: { global: { lines: 95 } },
};
