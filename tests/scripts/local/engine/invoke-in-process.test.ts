import { afterEach, expect, test } from '@jest/globals';
import { createInvoke } from '../../../../scripts/local/engine/invoke-in-process.ts';
import { useTestDatabases } from '../../../support/test-database.ts';

const openDatabase = useTestDatabases();
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const credentials = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  NODE_OPTIONS: '',
};

/** The functions of this project, each call in a process of its own. */
const aCaller = async (changes: Readonly<Record<string, string>> = {}, onLine = (_line: string) => {}) => {
  const { endpoint } = await openDatabase();
  const environment = {
    ...credentials,
    TABLE_PREFIX: 'test',
    DYNAMODB_ENDPOINT: endpoint,
    EVENT_BUS: '',
    RUN_DURABLE_FUNCTION: 'x-runDurable:durable',
    RUN_EXPRESS_FUNCTION: 'x-runExpress',
    ...changes,
  };
  const caller = createInvoke(environment, onLine);
  cleanups.push(caller.stop);
  return caller;
};

const scheduled = { event: { source: 'aws.events' }, requestId: 'r' };

test('gives what the function gives', async () => {
  const { invoke } = await aCaller();
  expect(await invoke('sweep', scheduled, 'sweep')).toEqual({ batchItemFailures: [] });
});

test('fails as the function fails, with what it said', async () => {
  const { invoke } = await aCaller({ LOG_LEVEL: 'loud' });
  await expect(invoke('sweep', scheduled, 'sweep')).rejects.toThrow(/LOG_LEVEL/);
});

test('says which process a run is at; fails when that is killed', async () => {
  const lines: string[] = [];
  const { invoke } = await aCaller({}, (line) => {
    lines.push(line);
    process.kill(Number(/process (\d+)$/.exec(line)?.[1]), 'SIGKILL');
  });
  const call = invoke('runExpress', { event: { executionId: 'e-1' }, requestId: 'r' }, 'e-1');
  await expect(call).rejects.toThrow('it was ended by SIGKILL');
  expect(lines).toEqual([expect.stringMatching(/^run e-1: process \d+$/)]);
});

test('ends what is at work when it is stopped', async () => {
  const { invoke, stop } = await aCaller();
  const call = invoke('sweep', scheduled, 'sweep');
  stop();
  await expect(call).rejects.toThrow('it was ended by SIGKILL');
});
