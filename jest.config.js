export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/deep/'], // those have a configuration of their own
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tests/support/esbuild-transform.js' },
  maxWorkers: 2,
  testTimeout: 60_000, // for what hangs: how quick anything is, is a benchmark's business
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'lib/**/*.ts',
    // Types only: nothing in them runs.
    '!lib/contract/{legacy-plugin,node-type,plugin,services}.ts',
    '!lib/credentials/{credential,credential-store}.ts',
    '!lib/executions/record/{blob-store,execution-store}.ts',
    '!lib/executions/lifecycle/{durable-service,execution-events,dispatcher}.ts',
    '!lib/plugins/plugin.ts',
    '!lib/webhooks/{delivery-store,webhook-request}.ts',
    '!lib/shared/answer.ts',
    '!lib/workflows/definition/{definition,path-config,problem,workflow-store}.ts',
  ],
  coverageThreshold: { global: { lines: 95 } },
};
