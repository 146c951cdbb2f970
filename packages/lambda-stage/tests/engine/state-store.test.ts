import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import {
  applyUpdates,
  createDurableState,
  type DurableState,
  finish,
} from '../../src/engine/durable-state.ts';
import { openStateStore } from '../../src/engine/state-store.ts';
import { useDatabases } from '../support/a-database.ts';

const TABLE = 'test-local-durable';
const NOW = Date.UTC(2026, 0, 1);

const openDatabase = useDatabases();

const openStore = async () => {
  const database = await openDatabase();
  const items = database.store.getItemDb(TABLE);
  return { client: database.client, items, store: await openStateStore(database, TABLE) };
};

const update = (state: DurableState, ...updates: Parameters<typeof applyUpdates>[1]): DurableState =>
  applyUpdates(state, updates, NOW, () => 'callback-1');

const aState = (input = '{}'): DurableState => createDurableState(input, NOW);

test('returns what was saved: operations in order, times as times, deadlines', async () => {
  const { store } = await openStore();
  const first = aState();
  await store.save({ arn: 'a', input: '{}', state: first }, null);
  const second = update(
    first,
    { Id: 'w', Type: 'WAIT', Action: 'START', WaitOptions: { WaitSeconds: 20 } },
    { Id: 's', Type: 'STEP', Action: 'RETRY', StepOptions: { NextAttemptDelaySeconds: 5 } },
    { Id: 'c', Type: 'CALLBACK', Action: 'START', CallbackOptions: { TimeoutSeconds: 60 } },
    ...Array.from({ length: 12 }, (_, at) => ({
      Id: `n${at}`,
      Type: 'STEP' as const,
      Action: 'SUCCEED' as const,
    })),
  );
  await store.save({ arn: 'a', input: '{}', state: second }, first);
  const [loaded] = await store.loadAll();
  expect(loaded?.state.operations.get('w')?.WaitDetails?.ScheduledEndTimestamp).toEqual(
    new Date(NOW + 20_000),
  );
  expect([...(loaded?.state.operations.keys() ?? [])]).toEqual([...second.operations.keys()]);
  expect(loaded?.state.operations.get('s')?.StepDetails?.NextAttemptTimestamp).toEqual(new Date(NOW + 5_000));
  expect(loaded?.state.callbackDeadlines).toEqual(new Map([['c', NOW + 60_000]]));
  expect(loaded?.state).toMatchObject({ status: 'running', token: second.token });
});

test.each([
  ['quotes, which JSON in JSON writes twice as long', JSON.stringify('"'.repeat(131_000))],
  ['text of three bytes a character', JSON.stringify('語'.repeat(87_000))],
])('keeps a result of the maximum size: %s', async (_, Payload) => {
  const { store } = await openStore();
  const first = aState();
  const second = update(first, { Id: 's', Type: 'STEP', Action: 'SUCCEED', Payload });
  await store.save({ arn: 'a', input: '{}', state: first }, null);
  await store.save({ arn: 'a', input: '{}', state: second }, first);
  const [loaded] = await store.loadAll();
  expect(loaded?.state.operations.get('s')?.StepDetails?.Result).toBe(Payload);
});

test('skips an execution that an earlier release had half written when its process ended, since it was never acknowledged', async () => {
  const { client, store } = await openStore();
  await store.save({ arn: 'whole', input: '{}', state: aState() }, null);
  const Item = { arn: { S: 'half' }, part: { S: 'op:0' } };
  await client.send(new PutItemCommand({ TableName: TABLE, Item }));
  expect((await store.loadAll()).map(({ arn }) => arn)).toEqual(['whole']);
});

test('writes the states of one execution in sequence, however slow a write is', async () => {
  const { items, store } = await openStore();
  const first = aState();
  await store.save({ arn: 'a', input: '{}', state: first }, null);
  const gate = Promise.withResolvers<void>();
  const steps: string[] = [];
  const { batch } = items;
  items.batch = (changes, done) => {
    steps.push('begin');
    const end = (error: Error | null) => {
      steps.push('end');
      done(error);
    };
    void gate.promise.then(() => batch(changes, end));
  };
  const saves = [
    store.save({ arn: 'a', input: '{}', state: { ...first, token: 2 } }, first),
    store.save({ arn: 'a', input: '{}', state: finish(first, 'stopped') }, first),
  ];
  gate.resolve();
  await Promise.all(saves);
  expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
  expect((await store.loadAll())[0]?.state.status).toBe('stopped');
});

test('a save is stored as a whole or not at all, and the next one is not stopped by it', async () => {
  const { items, store } = await openStore();
  const { batch } = items;
  let writes = 0;
  items.batch = (changes, done) => (++writes === 2 ? done(new Error('no disk')) : batch(changes, done));
  const first = aState();
  const steps = ['s', 't'].map((Id) => ({ Id, Type: 'STEP' as const, Action: 'SUCCEED' as const }));
  const second = update(first, ...steps);
  await store.save({ arn: 'a', input: '{}', state: first }, null);
  await expect(store.save({ arn: 'a', input: '{}', state: second }, first)).rejects.toThrow('no disk');
  expect((await store.loadAll()).map(({ state }) => state)).toEqual([first]);
  await store.save({ arn: 'a', input: '{}', state: second }, first);
  expect((await store.loadAll()).map(({ state }) => state)).toEqual([second]);
});

test('closes once pending writes are done, and accepts no others', async () => {
  const { store } = await openStore();
  const done: string[] = [];
  const save = store.save({ arn: 'a', input: '{}', state: aState() }, null).then(() => done.push('saved'));
  await store.close().then(() => done.push('closed'));
  await save;
  expect(done).toEqual(['saved', 'closed']);
  await expect(store.save({ arn: 'b', input: '{}', state: aState() }, null)).rejects.toThrow(/closed/);
  expect((await store.loadAll()).map(({ arn }) => arn)).toEqual(['a']);
});
