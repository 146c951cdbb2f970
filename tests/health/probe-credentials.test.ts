import type { HealthCheckResult } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { createProbes, type TestCredential } from '../../lib/health/probe-credentials.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const healthy: HealthCheckResult = { status: 'healthy' };

/** Probes over tests of the test's own; `tested` has the ids in their order. */
const aProbing = (test: TestCredential = async () => healthy) => {
  const { clock, run, block } = aVirtualClock();
  const tested: string[] = [];
  const probe = createProbes(clock, (id, signal) => {
    tested.push(id);
    return test(id, signal);
  });
  const probeAll = async (ids: string, { max = 20, ms = 60_000, revision = 1 } = {}) => {
    const credentials = ids.split(' ').map((id) => ({ id, revision }));
    const limits = { max, deadlineMs: 4_000, endsAt: clock.now() + ms };
    return Object.fromEntries(await run(probe(credentials, limits)));
  };
  return { clock, block, tested, probeAll };
};

const hanging: TestCredential = () => new Promise(() => {});

describe('a live test', () => {
  test.each<[string, TestCredential, object]>([
    ['that succeeds', async () => healthy, { status: 'healthy' }],
    [
      'that says something',
      async () => ({ status: 'warning', message: `near its limit\n${'x'.repeat(900)}` }),
      { status: 'warning', message: 'near its limit' },
    ],
    [
      'that throws',
      () => Promise.reject(new Error('there is no credential "a"\n    at x.ts:1')),
      { status: 'unhealthy', message: 'there is no credential "a"' },
    ],
    ['that hangs', hanging, { status: 'unhealthy', message: 'no result within 4000 ms' }],
    [
      'that its type does not have',
      async () => null,
      { status: 'untested', message: 'its type has no live test' },
    ],
  ])('%s', async (_case, test, expected) => {
    expect((await aProbing(test).probeAll('a')).a).toMatchObject(expected);
  });

  test('is aborted by its signal when its time is up', async () => {
    let aborted = false;
    const { probeAll } = aProbing((_id, signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return hanging('a', signal);
    });
    await probeAll('a');
    expect(aborted).toBe(true);
  });
});

describe('several tests', () => {
  test('run concurrently, up to five, and none begins after the time of the report', async () => {
    const { clock, probeAll } = aProbing(hanging);
    const before = clock.now();
    const probes = await probeAll('a b c d e f g', { ms: 5_000 });
    expect(clock.now() - before).toBe(5_000);
    expect(probes.e).toMatchObject({ message: 'no result within 4000 ms' });
    expect(probes.g).toMatchObject({ message: 'no result within 1000 ms' });
    expect(await probeAll('h', { ms: 0 })).toEqual({
      h: { status: 'untested', message: 'the report ran out of time', testedAt: null },
    });
  });

  test('are limited in number, and the next report tests the others', async () => {
    const { tested, probeAll } = aProbing(async () => ({ status: 'unhealthy' }));
    const first = await probeAll('a b c', { max: 2 });
    expect(first.c).toMatchObject({
      status: 'untested',
      message: 'there are more credentials than one report can test',
    });
    await probeAll('a b c', { max: 2 });
    expect(tested).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('a result', () => {
  test.each([
    ['healthy', 1],
    ['unhealthy', 2],
    ['warning', 2],
  ] as const)('that is %s is found by %d tests in two reports', async (status, count) => {
    const { tested, probeAll } = aProbing(async () => ({ status }));
    const { a } = await probeAll('a');
    expect((await probeAll('a')).a).toEqual(a);
    expect(tested).toHaveLength(count);
  });

  test('is kept for a minute, for one secret', async () => {
    const { block, tested, probeAll } = aProbing();
    await probeAll('a');
    block(59_999);
    await probeAll('a');
    expect(tested).toEqual(['a']);
    await probeAll('a', { revision: 2 });
    expect(tested).toEqual(['a', 'a']);
    block(1);
    await probeAll('a');
    expect(tested).toEqual(['a', 'a', 'a']);
  });
});
