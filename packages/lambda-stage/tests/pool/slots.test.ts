import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createSlots } from '../../src/pool/slots.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const COUNTS = { usual: 1, most: 3, growAfterMs: 100 };

/** Callers by name, in the order in which they come; `inside` holds those with a slot. */
const aLine = (counts = COUNTS, isSettled = () => true) => {
  const slots = createSlots(counts, isSettled);
  const inside: string[] = [];
  const releases = new Map<string, () => void>();
  const enter = (name: string, signal?: AbortSignal): Promise<void> =>
    slots.acquire(signal).then((release) => {
      inside.push(name);
      releases.set(name, release);
    });
  const leave = async (name: string): Promise<void> => {
    inside.splice(inside.indexOf(name), 1);
    releases.get(name)?.();
    await settle();
  };
  return { slots, inside, enter, leave };
};

const settle = async (): Promise<void> => {
  for (let at = 0; at < 5; at++) await Promise.resolve();
};

test('admits in order of arrival, up to the number of slots', async () => {
  const { inside, enter, leave } = aLine({ ...COUNTS, usual: 2, most: 2 });
  for (const name of ['a', 'b', 'c', 'd']) void enter(name);
  await settle();
  expect(inside).toEqual(['a', 'b']);
  await leave('a');
  expect(inside).toEqual(['b', 'c']);
});

test('a returned slot goes to the queue, not to a newcomer, and only once', async () => {
  const slots = createSlots({ ...COUNTS, most: 1 });
  const release = await slots.acquire();
  const order: string[] = [];
  const waiting = slots.acquire().then((give) => {
    order.push('waiting');
    return give;
  });
  release();
  release();
  const newcomer = slots.acquire().then(() => order.push('newcomer'));
  (await waiting)();
  await newcomer;
  expect(order).toEqual(['waiting', 'newcomer']);
});

test('adds slots while the queue does not move, one at a time, up to the maximum', async () => {
  const { inside, enter } = aLine();
  for (const name of ['a', 'b', 'c', 'd']) void enter(name);
  await settle();
  for (const expected of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c']]) {
    expect(inside).toEqual(expected);
    await jest.advanceTimersByTimeAsync(100);
  }
});

test('adds none while holders have yet to begin', async () => {
  let isSettled = false;
  const { inside, enter } = aLine(COUNTS, () => isSettled);
  for (const name of ['a', 'b']) void enter(name);
  await jest.advanceTimersByTimeAsync(500);
  expect(inside).toEqual(['a']);
  isSettled = true;
  await jest.advanceTimersByTimeAsync(100);
  expect(inside).toEqual(['a', 'b']);
});

test('removes slots when the queue moves', async () => {
  const { inside, enter, leave } = aLine();
  for (const name of ['a', 'b']) void enter(name);
  await jest.advanceTimersByTimeAsync(100);
  expect(inside).toEqual(['a', 'b']);
  await leave('a');
  await leave('b');
  for (const name of ['c', 'd']) void enter(name);
  await settle();
  expect(inside).toEqual(['c']);
});

test('does not admit a waiter that left the queue', async () => {
  const { inside, enter, leave } = aLine();
  void enter('a');
  const gone = new AbortController();
  const left = expect(enter('b', gone.signal)).rejects.toThrow('gone');
  void enter('c');
  await settle();
  gone.abort(new Error('gone'));
  await left;
  await leave('a');
  expect(inside).toEqual(['c']);
});

test('once closed refuses waiters and newcomers', async () => {
  const { slots, enter } = aLine();
  await enter('a');
  const refused = expect(enter('b')).rejects.toThrow('closed');
  slots.close(new Error('closed'));
  await refused;
  await expect(enter('c')).rejects.toThrow('closed');
});
