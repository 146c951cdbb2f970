import { expect, test } from '@jest/globals';
import type { NodeRecord } from '../../lib/engine/result.ts';
import { type ANode, runGraph } from '../support/a-run.ts';

/** Fails in its first attempts, and never ends in the last one. */
const hangsInAttempt = (last: number): ANode => ({
  pure: false,
  does: (_node, _input, { attempt }) =>
    attempt < last ? Promise.reject(new Error('busy')) : new Promise(() => {}),
  settings: { retry: { maxAttempts: 9, intervalSeconds: 1, backoffRate: 1 }, timeoutSeconds: 800 },
});

test.each([1, 2, 3])('a node at its attempt %d when the execution runs out of time', async (last) => {
  const result = await runGraph({
    nodes: { shop: hangsInAttempt(last) },
    edges: ['start -> shop'],
    limits: { timeoutMs: 60_000 },
  });
  expect(result).toMatchObject({ status: 'timedOut', failure: { nodeId: 'shop' } });
  expect(result.nodes[1]).toMatchObject({ nodeId: 'shop', status: 'failed', attempts: last });
});

test('a node that waits for its next attempt at the timeout has a record of the previous attempts', async () => {
  const result = await runGraph({
    nodes: {
      shop: {
        pure: false,
        does: () => Promise.reject(new Error('busy')),
        settings: { retry: { maxAttempts: 9, intervalSeconds: 40, backoffRate: 1 } },
      },
    },
    edges: ['start -> shop'],
    limits: { timeoutMs: 60_000 },
  });
  expect(result.nodes[1]).toMatchObject({ nodeId: 'shop', attempts: 2 });
});

test('a node that runs other nodes has one attempt, and theirs are their own', async () => {
  const result = await runGraph({
    nodes: {
      each: {
        control: { suspends: false, bodyOutput: 'each' },
        does: async (_node, input, { control }) => {
          await control?.runBodies([input]);
          return {};
        },
      },
      shop: hangsInAttempt(4),
    },
    edges: ['start -> each', 'each.each -> shop'],
    limits: { timeoutMs: 60_000 },
  });
  expect(result.nodes.map(({ nodeId, attempts }) => [nodeId, attempts])).toEqual([
    ['start', 1],
    ['each', 1],
    ['shop', 4],
  ]);
});

test('progress is reported at the start and at the failure of each attempt, with what follows it', async () => {
  const seen: unknown[] = [];
  const onProgress = (snapshot: () => readonly NodeRecord[]): void => {
    const shop = snapshot().find(({ nodeId }) => nodeId === 'shop');
    if (shop?.status === 'running') seen.push([shop.attempts, shop.retry?.failure]);
  };
  await runGraph({
    nodes: { shop: hangsInAttempt(3) },
    edges: ['start -> shop'],
    limits: { timeoutMs: 60_000 },
    ports: { onProgress },
  });
  const failure = { name: 'Error', message: 'busy' };
  expect(seen).toEqual([
    [1, undefined],
    [1, failure],
    [2, undefined],
    [2, failure],
    [3, undefined],
  ]);
});

test('the times of several attempts are recorded, also of one that never ended, and none of a single attempt', async () => {
  const timesOf = async (last: number, timeoutMs: number) => {
    const { nodes } = await runGraph({
      nodes: { shop: hangsInAttempt(last) },
      edges: ['start -> shop'],
      limits: { timeoutMs },
    });
    const { startedAt, attemptTimes } = nodes[1] as NodeRecord;
    return attemptTimes?.map(({ number, ...time }) => [
      number,
      time.startedAt - startedAt,
      time.endedAt === null ? null : time.endedAt - startedAt,
    ]);
  };
  expect(await timesOf(3, 60_000)).toEqual([
    [1, 0, 0],
    [2, 1_000, 1_000],
    [3, 2_000, null],
  ]);
  expect(await timesOf(2, 60_000)).toEqual([
    [1, 0, 0],
    [2, 1_000, null],
  ]);
  expect(await timesOf(3, 1_500)).toEqual([
    [1, 0, 0],
    [2, 1_000, 1_000],
  ]);
  expect(await timesOf(3, 500)).toEqual([[1, 0, 0]]);
  expect(await timesOf(1, 500)).toBeUndefined();
});

test('the next attempt is recorded with its time, and only while it is awaited', async () => {
  const seen: NodeRecord[] = [];
  const result = await runGraph({
    nodes: {
      shop: {
        pure: false,
        does: (_node, _input, { attempt }) => (attempt < 2 ? Promise.reject(new Error('busy')) : {}),
        settings: { retry: { maxAttempts: 3, intervalSeconds: 40 } },
      },
      other: { pure: false, does: () => Promise.reject(new Error('no')), settings: { onError: 'continue' } },
      once: {
        pure: false,
        does: () => Promise.reject(new Error('no')),
        settings: { onError: 'continue', atMostOnce: true, retry: { maxAttempts: 3 } },
      },
    },
    edges: ['start -> shop', 'start -> other', 'start -> once'],
    ports: { onProgress: (snapshot) => void seen.push(...snapshot()) },
  });
  const planned = seen.filter(({ retry }) => retry !== undefined);
  expect(new Set(planned.map(({ nodeId }) => nodeId))).toEqual(new Set(['shop']));
  const { startedAt, retry } = planned[0] as NodeRecord;
  expect(retry).toEqual({ at: startedAt + 40_000, failure: { name: 'Error', message: 'busy' } });
  expect(result.nodes.filter((node) => 'retry' in node)).toEqual([]);
});
