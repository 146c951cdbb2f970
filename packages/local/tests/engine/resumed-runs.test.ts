import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createAwsCaller } from '../../../../lib/adapters/aws/aws-caller.ts';
import { createLambdaDispatcher } from '../../../../lib/adapters/aws/lambda-events.ts';
import { poll } from '../../../../tests/support/poll.ts';
import { startBackend } from '../../backend.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** A backend whose functions never return. */
const aBackend = async (dataFolder: string) => {
  const invoked: string[] = [];
  const backend = await startBackend({
    tablePrefix: 'test',
    dataFolder,
    log: () => {},
    pool: {
      invoke: ({ functionKey }) => {
        if (functionKey.startsWith('run')) invoked.push(functionKey);
        return new Promise(() => {});
      },
    },
  });
  const call = createAwsCaller({
    service: 'lambda',
    region: 'us-east-1',
    endpoint: backend.endpoints.engineEndpoint,
    readCredentials: () => credentials,
  });
  const names = { durable: 'x-runDurable:durable', express: 'x-runExpress' };
  return { ...backend, invoked, dispatcher: createLambdaDispatcher(call, names) };
};

test('a backend resumes open runs when it is told to, and not all durable ones at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'resumed-runs-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const first = await aBackend(folder);
  for (let at = 0; at < 20; at++) await first.dispatcher.dispatch(`e-${at}`, 'durable');
  await first.dispatcher.dispatch('e-20', 'express');
  await poll(async () => first.invoked.length === 21);
  await first.stop();

  const second = await aBackend(folder);
  cleanups.push(second.stop);
  expect(second.invoked).toEqual([]);
  second.resume();
  await poll(async () => second.invoked.length === 17);
  expect(second.invoked.filter((key) => key === 'runDurable')).toHaveLength(16);
});
