import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LOCAL_VARIABLES } from '../../packages/local/functions/local-functions.ts';
import { readServiceFile } from '../../packages/local/functions/service-file.ts';
import { environmentOf, functionKeys } from '../support/function-environment.ts';
import { projectRoot, runCommand } from '../support/run-command.ts';

const { functions } = readServiceFile(projectRoot, {});
const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

/** By function: the variables that serverless.yml gives to it. */
const given = new Map(functions.map(({ key, environment }) => [key, Object.keys(environment)]));
const allGiven = new Set([...given.values()].flat());
/** Those that some functions have, and others not. */
const notEverywhere = [...allGiven].filter((name) => [...given.values()].some((own) => !own.includes(name)));

/** Variables that lib/app/config.ts reads. */
const inConfig = [
  ...read('lib/app/config.ts').matchAll(/\benv\.([A-Z_]+)|readNumber\(env, '([A-Z_]+)'/g),
].map(([, direct, number]) => direct ?? number ?? '');

/** The table of settings in docs/operating.md. */
const settings = [...read('docs/operating.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
  ([, name]) => name ?? '',
);

test('every variable is set by serverless.yml or Lambda, or is an optional or local setting', () => {
  expect(inConfig.length).toBeGreaterThan(20);
  const known = new Set<string>([...allGiven, ...settings, ...LOCAL_VARIABLES, 'AWS_REGION']);
  expect(inConfig.filter((name) => !known.has(name))).toEqual([]);
  expect(LOCAL_VARIABLES.filter((name) => allGiven.has(name))).toEqual([]);
});

test('local variables are documented as such', () => {
  const [, sentence = ''] =
    /one machine it has the same ones\.([^.]*)are for the local service alone/.exec(
      read('docs/operating.md'),
    ) ?? [];
  expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(LOCAL_VARIABLES);
});

test('every function starts with only the variables from serverless.yml, and answers a ping', async () => {
  const environments = Object.fromEntries(
    functions.map(({ key, module }) => {
      const own = environmentOf(key);
      const names = Object.keys(own).filter((name) => !name.startsWith('AWS_'));
      expect([key, names.sort()]).toEqual([key, given.get(key)?.toSorted()]);
      return [module, { ...own, OWN_PROCESS: '1' }];
    }),
  );
  const script = `
    const failed = {};
    const answers = {};
    const ping = { hookloom: 'ping' };
    const durable = { InitialExecutionState: { Operations: [{ ExecutionDetails: { InputPayload: JSON.stringify(ping) } }] } };
    for (const [module, environment] of Object.entries(${JSON.stringify(environments)})) {
      process.env = { ...environment };
      await import(${JSON.stringify(projectRoot)} + '/' + module + '.ts').then(
        async ({ handler }) => {
          const isDurable = module === 'functions/run-durable';
          const answer = await handler(isDurable ? durable : ping, { functionName: module });
          answers[module] = isDurable ? JSON.parse(answer.Result) : answer;
        },
      ).catch((error) => { failed[module] = String(error.parameters?.reason ?? error); });
    }
    console.log(JSON.stringify({ failed, answers }));
    process.exit();`;
  const { stdout, stderr } = await runCommand('node', ['--input-type=module', '-e', script]);
  expect(stderr).toBe('');
  const { failed, answers } = JSON.parse(stdout);
  expect(failed).toEqual({});
  for (const { module } of functions)
    expect(answers[module]).toMatchObject({
      hookloom: 'pong',
      function: module,
      time: expect.any(Number),
      config: expect.objectContaining({ version: expect.stringMatching(/^\d+\./) }),
    });
  expect(functionKeys.length).toBeGreaterThan(20);
});

describe('variables that serverless.yml sets for some functions are set nowhere else', () => {
  /** By file: the variables that it may set. Each of these gives a function no more than serverless.yml does. */
  const allowed: Readonly<Record<string, readonly string[]>> = {
    // Values of this machine for what only a deployment can say; each function gets its own.
    'packages/local/backend.ts': ['BLOB_BUCKET', 'WORKFLOW_ROLE', 'EVENT_BUS', 'PUBLIC_URL'],
    'tests/support/function-environment.ts': ['TABLE_PREFIX', 'BLOB_BUCKET', 'WORKFLOW_ROLE', 'PUBLIC_URL'],
    // A function of the local service's own; its collector of traces.
    'packages/local/start-service.ts': ['TABLE_PREFIX', 'TRACES'],
    'packages/local/samples/samples-function.ts': ['TABLE_PREFIX'], // read
    'tests/deep/stage-mutations.test.ts': ['TABLE_PREFIX', 'WORKFLOW_ROLE'], // taken away
    // Stores that no function opens: for samples that are put, and for an execution that a test leaves behind.
    'packages/local/samples/sample-stores.ts': ['TABLE_PREFIX', 'PUBLIC_URL', 'SWEEP_FUNCTION'],
    'tests/deep/stage-doctor.test.ts': ['TABLE_PREFIX'],
    // Values of a parameter that is off by default.
    'tests/functions/export-traces.test.ts': ['TRACES', 'TRACE_RATIO', 'TRACE_HEADERS'],
    'tests/functions/admin-health-functions.test.ts': ['TRACES'],
    'tests/deep/traces.test.ts': ['TRACES', 'TRACE_RATIO', 'TRACE_HEADERS'],
  };
  /** They test how variables are read, not a function. */
  const ofReading =
    /^(tests\/app|packages\/local\/tests\/functions)\/|^tests\/functions\/environments\.test\.ts$/;

  test('the list is complete', () => {
    expect(notEverywhere).toEqual(expect.arrayContaining(['TABLE_PREFIX', 'PUBLIC_URL', 'SWEEP_FUNCTION']));
  });

  test.each(['tests', 'packages/local', 'scripts'])('in %s', (folder) => {
    const set = new RegExp(`(?:^|[\\s{.'"])(${notEverywhere.join('|')})['"]?(?::(?!")|,$| =[^=])`, 'gm');
    const found = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => /\.[jt]s$/.test(file) && !ofReading.test(file))
      .flatMap((file) => [...read(file).matchAll(set)].map(([, name = '']) => [file, name] as const))
      .filter(([file, name]) => allowed[file]?.includes(name) !== true);
    expect(found).toEqual([]);
  });
});
