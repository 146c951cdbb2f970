import { Stryker } from '@stryker-mutator/core';
import { Argument, Command } from 'commander';

// Changes the code of a target in one place after the other, and counts after which of the changes a test fails:
// `npm run test:mutation -- linear-regex`. https://stryker-mutator.io/docs/stryker-js/configuration/

interface Target {
  /** The code that is changed. */
  readonly mutate: readonly string[];
  /** The tests that are to notice it: they import the code by its path, since names of packages lead out of the copy. */
  readonly tests: readonly string[];
}

const ofPackage = (name: string): Target => ({
  mutate: [`packages/${name}/src/**/*.ts`, `packages/${name}/*.ts`],
  tests: [`packages/${name}/tests/**/*.test.ts`],
});

const ofFolder = (folder: string, tests = folder): Target => ({
  mutate: [`lib/${folder}/**/*.ts`],
  tests: [`tests/${tests}/**/*.test.ts`],
});

const targets: Readonly<Record<string, Target>> = {
  'counted-jsonata': ofPackage('counted-jsonata'),
  'linear-regex': ofPackage('linear-regex'),
  engine: ofFolder('engine'),
  lifecycle: ofFolder('executions/lifecycle', 'executions'),
  held: ofFolder('executions/held', 'executions'),
  registrations: ofFolder('registrations'),
  credentials: ofFolder('credentials'),
  signature: ofFolder('webhooks/features/signature'),
};

/** Percent of the changes after which a test fails, or takes too long. */
const LEAST_SCORE = 85;

const { args, opts } = (() => {
  const command = new Command('npm run test:mutation --')
    .description(
      `Changes code in one place after the other; the exit code is 1 when tests notice fewer than ${LEAST_SCORE} %`,
    )
    .addArgument(new Argument('<target>', 'the code that is changed').choices(Object.keys(targets)))
    .option(
      '--only <pattern>',
      'files of the target, or lines of one: packages/linear-regex/src/search.ts:40-60',
    )
    .parse();
  return { args: command.args, opts: command.opts<{ readonly only?: string }>() };
})();

const { mutate, tests } = targets[args[0] ?? ''] as Target;
process.env.NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
const stryker = new Stryker({
  mutate: opts.only === undefined ? [...mutate] : [opts.only],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: {
    projectType: 'custom',
    configFile: 'jest.config.js',
    enableFindRelatedTests: false,
    config: {
      testMatch: tests.map((pattern) => `<rootDir>/${pattern}`),
      testRunner: 'jest-circus/runner',
      reporters: [],
    },
  },
  coverageAnalysis: 'perTest',
  ignoreStatic: true, // module-level code, after whose change every file would have to be loaded again for each test
  tsconfigFile: 'none', // TypeScript 7 has no API to read it with
  ignorePatterns: ['.serverless', '.esbuild', '.hookloom', 'dist', 'docs'],
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: process.stdout.isTTY, logTests: false, reportTests: false },
  thresholds: { high: 95, low: LEAST_SCORE, break: LEAST_SCORE },
} as ConstructorParameters<typeof Stryker>[0]);
await stryker.runMutationTest();
