import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createInvoke, createProcessPool, createSpareSandbox } from 'lambda-stage/pool';
import { aLocalServer } from '../../../../tests/support/a-local-server.ts';
import { aLocalEnvironment, type LocalValues } from '../../../../tests/support/function-environment.ts';
import { projectRoot } from '../../../../tests/support/run-command.ts';
import { useTestDatabases } from '../../../../tests/support/test-database.ts';
import { isRun, startSweeps } from '../../engine/start-engine.ts';
import { createLocalFunctions } from '../../functions/local-functions.ts';
import { readServiceFile } from '../../functions/service-file.ts';
import { createSourceModules } from '../../invoke-backend.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** The functions of this project, in processes of their own. */
const aCaller = async (changes: LocalValues = {}, onLine = (_line: string) => {}) => {
  const { endpoint } = await openDatabase();
  const values = { DYNAMODB_ENDPOINT: endpoint, BLOB_FOLDER: '/nonexistent', ...changes };
  const spare = createSpareSandbox({ ...process.env, NODE_OPTIONS: '' });
  const pool = createProcessPool({
    processes: { usual: 2, most: 2, growAfterMs: 100 },
    functions: createLocalFunctions({
      definitions: readServiceFile(projectRoot).functions,
      modules: createSourceModules(projectRoot),
      environment: Promise.resolve(aLocalEnvironment(values)),
    }),
    spare,
  });
  cleanups.push(() => Promise.all([pool.stop(), spare.stop()]));
  return createInvoke(pool, onLine, isRun);
};

const scheduled = { event: { source: 'aws.events' }, requestId: 'r' };

test('returns what the function returns', async () => {
  const invoke = await aCaller();
  expect(await invoke('sweep', scheduled, 'sweep')).toEqual({ batchItemFailures: [] });
});

test('the registration sweeper responds to CloudFormation before a stack is removed', async () => {
  const cloudFormation = await aLocalServer({ '/answer': (_request, response) => void response.end() });
  cleanups.push(cloudFormation.close);
  const invoke = await aCaller();
  const event = { RequestType: 'Delete', ResponseURL: `${cloudFormation.origin}/answer?signed` };
  await invoke('sweepRegistrations', { event, requestId: 'r' }, 'sweepRegistrations');
  expect(cloudFormation.received.map(({ body }) => JSON.parse(body))).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('fails as the function fails, with its message', async () => {
  const invoke = await aCaller({ LOG_LEVEL: 'loud' });
  await expect(invoke('sweep', scheduled, 'sweep')).rejects.toThrow(/LOG_LEVEL/);
});

test('reports which process executes a run, and fails when that is killed', async () => {
  const store = await aLocalServer({ '/': () => {} }); // without an answer, the run is not over before the kill
  cleanups.push(store.close);
  const lines: string[] = [];
  const variables = { DYNAMODB_ENDPOINT: store.origin };
  const invoke = await aCaller(variables, (line) => {
    lines.push(line);
    process.kill(Number(/process (\d+)$/.exec(line)?.[1]), 'SIGKILL');
  });
  const call = invoke('runExpress', { event: { executionId: 'e-1' }, requestId: 'r' }, 'run e-1');
  await expect(call).rejects.toThrow('killed by SIGKILL');
  expect(lines).toEqual([expect.stringMatching(/^run e-1: process \d+$/)]);
});

describe('the sweepers', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const TEN_MINUTES_MS = 600_000;

  test('are invoked by the clock, as when deployed', () => {
    const invoked: string[] = [];
    const sweeps = startSweeps(
      async (name) => void invoked.push(name),
      () => {},
    );
    jest.advanceTimersByTime(TEN_MINUTES_MS);
    sweeps.stop();
    jest.advanceTimersByTime(TEN_MINUTES_MS);
    const count = (name: string) => invoked.filter((one) => one === name).length;
    const swept = ['sweep', 'retryExecutions', 'sweepRegistrations'].map(count);
    expect([swept, invoked.length]).toEqual([[20, 20, 2], 42]);
  });

  test('a sweep that fails is logged, and the next one follows', async () => {
    const lines: string[] = [];
    const fail = () => Promise.reject(new Error('down'));
    const sweeps = startSweeps(fail, (line) => void lines.push(line));
    await jest.advanceTimersByTimeAsync(TEN_MINUTES_MS);
    sweeps.stop();
    expect(lines.filter((line) => line === 'sweepRegistrations: down')).toHaveLength(2);
    expect(lines.filter((line) => line === 'sweep: down')).toHaveLength(20);
  });
});
