import { expect, test } from '@jest/globals';
import { createAsyncInvocations, type Invoke, openStateStore, type StateStore } from 'lambda-stage/engine';
import { poll } from '../../../../tests/support/poll.ts';
import { useTestDatabases } from '../../../../tests/support/test-database.ts';
import { createGiveUp, labelOf } from '../../engine/failed-runs.ts';

const openDatabase = useTestDatabases();

interface Called {
  readonly name: string;
  readonly event: unknown;
  readonly requestId: string;
}

/** Invocations of a function that answers as given, without delays. @param store - of an earlier service */
const aRunner = async (
  invoke: (name: string, attempt: number) => Promise<unknown>,
  { delaysMs = [0, 0], store }: { readonly delaysMs?: readonly number[]; readonly store?: StateStore } = {},
) => {
  const kept = store ?? (await openStateStore(await openDatabase(), 'test-local-durable'));
  const called: Called[] = [];
  const lines: string[] = [];
  const counted: Invoke = (name, given) => {
    called.push({ name, ...(given as Omit<Called, 'name'>) });
    return invoke(name, called.length);
  };
  const log = (line: string) => void lines.push(line);
  const giveUp = createGiveUp(counted, log);
  const parts = { store: kept, invoke: counted, log, giveUp, labelOf };
  const invocations = createAsyncInvocations(parts, delaysMs);
  return {
    ...invocations,
    store: kept,
    called,
    names: () => called.map(({ name }) => name),
    lines,
    run: async (name = 'runExpress') => (await invocations.accept(name, event)).ended,
  };
};

const event = '{"executionId":"e-1"}';
const fail = async () => {
  throw new Error('no');
};
const never = () => new Promise<never>(() => {});

test('calls the function once when it succeeds', async () => {
  const { run, names, lines, store } = await aRunner(async () => null);
  await run();
  expect([names(), lines]).toEqual([['runExpress'], []]);
  expect(await store.loadInvocations()).toEqual([]);
});

test('calls it until it succeeds', async () => {
  const { run, names } = await aRunner((_name, attempt) => (attempt === 1 ? fail() : Promise.resolve(null)));
  await run();
  expect(names()).toEqual(['runExpress', 'runExpress']);
});

test('says so, without failing, when the sweeper fails too', async () => {
  const { run, names, lines, store } = await aRunner(fail);
  await expect(run()).resolves.toBeUndefined();
  expect(names()).toEqual(['runExpress', 'runExpress', 'runExpress', 'sweep']);
  expect(lines).toEqual([...Array(3).fill('run e-1: its process failed (no)'), 'sweep: no']);
  expect(await store.loadInvocations()).toEqual([]);
});

test.each(['dispatch', 'sweep'] as const)('gives %s up after three attempts', async (name) => {
  const { run, names, lines } = await aRunner(fail);
  await run(name);
  expect(names()).toEqual([name, name, name]);
  expect(lines.at(-1)).toMatch(/^\w+: gave up after 3 attempts$/);
});

test('starts no process after closing: neither while waiting nor for the sweeper', async () => {
  const waiting = await aRunner(fail, { delaysMs: [600_000] });
  const ended = waiting.run();
  while (waiting.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
  waiting.close();
  await ended;
  expect(waiting.names()).toEqual(['runExpress']);

  const last = await aRunner(
    async () => {
      last.close();
      return fail();
    },
    { delaysMs: [] },
  );
  await last.run();
  expect([last.names(), last.lines]).toEqual([['runExpress'], []]);
});

test('an invocation is acknowledged only when it is stored', async () => {
  const { accept, store, called } = await aRunner(async () => null);
  await store.close();
  await expect(accept('runExpress', event)).rejects.toThrow('closed');
  expect(called).toEqual([]);
});

test.each(['runExpress', 'dispatch', 'sweep'] as const)(
  '%s that a killed service acknowledged is run by the next one, under the same id',
  async (name) => {
    const killed = await aRunner(never);
    await killed.accept(name, event);
    const next = await aRunner(async () => null, { store: killed.store });
    (await next.load())();
    await poll(async () => (await killed.store.loadInvocations()).length === 0);
    expect(next.called).toEqual(killed.called);
    expect(next.called).toMatchObject([{ name, event: { executionId: 'e-1' } }]);
  },
);

test('attempts that failed before count; one that the end of the service cut off does not', async () => {
  const killed = await aRunner((_name, attempt) => (attempt === 1 ? fail() : never()));
  await killed.accept('runExpress', event);
  while (killed.called.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const next = await aRunner((name) => (name === 'sweep' ? Promise.resolve(null) : fail()), {
    store: killed.store,
  });
  (await next.load())();
  await poll(async () => (await killed.store.loadInvocations()).length === 0);
  expect(next.names()).toEqual(['runExpress', 'runExpress', 'sweep']);
  expect(next.called[2]?.event).toMatchObject({
    Records: [{ messageAttributes: { RequestID: { stringValue: killed.called[0]?.requestId } } }],
  });
});

test('abandoned invocations go to the configured destination, with their attempts and the last reason', async () => {
  const store = await openStateStore(await openDatabase(), 'test-local-durable');
  const given: unknown[] = [];
  const invocations = createAsyncInvocations(
    { store, invoke: fail, log: () => {}, giveUp: async (invocation) => void given.push(invocation) },
    [0],
  );
  const context = { invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:x' };
  await (await invocations.accept('dispatch', event, context)).ended;
  expect(given).toMatchObject([{ name: 'dispatch', event, failures: 2, reason: 'no', context }]);
});
