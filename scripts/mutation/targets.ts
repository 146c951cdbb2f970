export interface Target {
  /** Patterns of the code that is changed. */
  readonly mutate: readonly string[];
  /** The tests that are to notice it. */
  readonly tests: readonly string[];
}

const ofPackage = (name: string, ...others: readonly string[]): Target => ({
  mutate: [`packages/${name}/src/**/*.ts`, `packages/${name}/*.ts`],
  tests: [`packages/${name}/tests/**/*.test.ts`, ...others],
});

/** @param tests - below tests, or in packages */
const ofFolder = (folder: string, ...tests: readonly string[]): Target => ({
  mutate: [`lib/${folder}/**/*.ts`],
  tests: (tests.length === 0 ? [`${folder}/**/*`] : tests).map(
    (pattern) => `${pattern.startsWith('packages/') ? '' : 'tests/'}${pattern}.test.ts`,
  ),
});

/** What `npm run test:mutation` can change, by name. */
export const targets: Readonly<Record<string, Target>> = {
  'counted-jsonata': ofPackage(
    'counted-jsonata',
    'tests/workflows/expressions/{pictures,step-functions}.test.ts',
  ),
  'linear-regex': ofPackage('linear-regex'),
  engine: ofFolder('engine'),
  lifecycle: ofFolder(
    'executions/lifecycle',
    'executions/**/*',
    'adapters/durable/{background-runs,files,operation-limit}',
    'webhooks/features/held',
    'functions/{webhook-deliveries,admin-executions,admin-bulk-retries,admin-try-node,trials-apart,variables}',
    'deep/file-lifetimes',
  ),
  held: ofFolder('executions/held', 'executions/held/*', 'webhooks/features/held'),
  registrations: ofFolder('triggers/registrations'),
  credentials: ofFolder(
    'credentials',
    'credentials/**/*',
    'functions/admin-credentials',
    'packages/cli/tests/{credential,credential-connect,credential-test,outbound-credential,url-warnings}',
  ),
  signature: ofFolder('webhooks/features/signature'),
};
