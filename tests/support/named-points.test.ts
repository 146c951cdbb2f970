import { describe, expect, test } from '@jest/globals';
import { namePoints } from './named-points.ts';

/** A store and a function whose calls are listed, and their points. */
const aDesk = () => {
  const calls: string[] = [];
  const points = namePoints({
    store: {
      put: async (key: string) => `${calls.push(`put ${key}`)}`,
      find: async (key: string) => `${calls.push(`find ${key}`)}`,
      list: async function* () {
        yield* ['a', 'b'];
      },
      size: 2,
    },
    send: async (key: string) => void calls.push(`send ${key}`),
  });
  return { ...points, ...points.ports, calls };
};

test('calls that no point is for are made as they are', async () => {
  const { store, send, calls } = aDesk();
  expect(await store.put('a')).toBe('1');
  await send('a');
  const listed: string[] = [];
  for await (const one of store.list()) listed.push(one);
  expect([calls, listed, store.size]).toEqual([['put a', 'send a'], ['a', 'b'], 2]);
});

test.each([
  ['before', ['put b', 'put a', 'send a']],
  ['after', ['put a', 'put b', 'send a']],
])('a task is held %s the next call until it is released, and others pass', async (side, expected) => {
  const { store, send, hold, calls } = aDesk();
  const point = hold(`store.put:${side}`);
  const held = store.put('a').then(() => send('a'));
  await point.reached;
  await store.put('b');
  point.release();
  await held;
  expect(calls).toEqual(expected);
});

test('two holds of one point hold two tasks, in the order in which they come', async () => {
  const { send, hold, calls } = aDesk();
  const points = [hold('send:before'), hold('send:before')];
  const sent = [send('a'), send('b'), send('c')];
  await Promise.all(points.map(({ reached }) => reached));
  points[1]?.release();
  await sent[1];
  points[0]?.release();
  await Promise.all(sent);
  expect(calls).toEqual(['send c', 'send b', 'send a']);
});

test.each([
  ['before', ['put b']],
  ['after', ['put a', 'put b']],
])('the next call fails %s it is made, and the one after it does not', async (side, expected) => {
  const { store, fail, calls } = aDesk();
  fail(`store.put:${side}`, new Error('down'));
  await expect(store.put('a')).rejects.toThrow('down');
  await store.put('b');
  expect(calls).toEqual(expected);
});

describe('a task that is killed', () => {
  test.each([
    ['before', ['put b']],
    ['after', ['put a', 'put b']],
  ])('%s a call does nothing after it, and others continue', async (side, expected) => {
    const { store, send, kill, task, calls } = aDesk();
    const point = kill(`store.put:${side}`);
    void task(() => store.put('a').then(() => send('a')));
    await point.reached;
    await task(() => store.put('b'));
    expect(calls).toEqual(expected);
  });

  test('does nothing more in its other branches, even in one that was held', async () => {
    const { store, send, kill, hold, task, calls } = aDesk();
    const held = hold('send:before');
    const killed = kill('store.find:before');
    void task(() =>
      Promise.all([
        send('a'),
        store.put('a').then(() => store.find('a')),
        killed.reached.then(() => store.put('b')),
      ]),
    );
    await Promise.all([held.reached, killed.reached]);
    held.release();
    await task(() => send('c'));
    expect(calls).toEqual(['put a', 'send c']);
  });
});

test('a point that does not exist is refused, with those that do', () => {
  const { hold, fail, kill } = aDesk();
  const known =
    'known: store.put:before, store.put:after, store.find:before, store.find:after, store.list:before, store.list:after, send:before, send:after';
  for (const use of [hold, kill, (point: string) => fail(point, new Error())])
    expect(() => use('store.putt:before')).toThrow(`there is no point "store.putt:before"; ${known}`);
});
