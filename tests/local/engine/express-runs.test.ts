import { expect, test } from '@jest/globals';
import { createExpressRuns } from '../../../local/engine/express-runs.ts';
import type { Invoke, LocalFunction } from '../../../local/engine/local-engine.ts';

/** Express runs with a function that does as it is told, and no delays. */
const aRunner = (
  invoke: (name: LocalFunction, event: unknown) => Promise<unknown>,
  delaysMs: readonly number[] = [0, 0],
) => {
  const called: string[] = [];
  const lines: string[] = [];
  const counted: Invoke = (name, event) => {
    called.push(name);
    return invoke(name, event);
  };
  const runs = createExpressRuns({ invoke: counted, log: (line) => lines.push(line) }, delaysMs);
  return { ...runs, called, lines };
};

const event = '{"executionId":"e-1"}';
const fail = async () => {
  throw new Error('no');
};

test('calls the function once when it succeeds', async () => {
  const { start, called, lines } = aRunner(async () => null);
  await start(event);
  expect([called, lines]).toEqual([['runExpress'], []]);
});

test('calls it until it succeeds', async () => {
  let calls = 0;
  const { start, called } = aRunner(() => (calls++ === 0 ? fail() : Promise.resolve(null)));
  await start(event);
  expect(called).toEqual(['runExpress', 'runExpress']);
});

test('says so, and nothing worse, when the sweeper fails too', async () => {
  const { start, called, lines } = aRunner(fail);
  await expect(start(event)).resolves.toBeUndefined();
  expect(called).toEqual(['runExpress', 'runExpress', 'runExpress', 'sweep']);
  expect(lines).toEqual([...Array(3).fill('run e-1: its process failed (no)'), 'sweep: no']);
});

test('starts no process once it is closed: not while it waits, and not for the sweeper', async () => {
  const waiting = aRunner(fail, [600_000]);
  const started = waiting.start(event);
  await new Promise((resolve) => setImmediate(resolve));
  waiting.close();
  await started;
  expect(waiting.called).toEqual(['runExpress']);

  const last = aRunner(async () => {
    last.close();
    return fail();
  }, []);
  await last.start(event);
  expect([last.called, last.lines]).toEqual([['runExpress'], []]);
});
