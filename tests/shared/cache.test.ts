import { describe, expect, test } from '@jest/globals';
import { type CacheOptions, createCache } from '../../lib/shared/cache.ts';

/** A cache on a clock that the test sets, and a load that answers `value 1`, `value 2`, … */
const aCache = (options: Partial<CacheOptions<string>> = {}) => {
  const clock = { time: 1_000, now: () => clock.time };
  const lookUp = createCache<string>({ ttlMs: 100, maxEntries: 2, clock, ...options });
  const loads: string[] = [];
  const get = (key: string) =>
    lookUp(key, async () => {
      loads.push(key);
      return `value ${loads.length}`;
    });
  return { clock, lookUp, loads, get };
};

describe('a cache', () => {
  test('loads once, and answers from memory until the value is too old', async () => {
    const { clock, get } = aCache();
    expect(await get('a')).toBe('value 1');
    clock.time += 99;
    expect(await get('a')).toBe('value 1');
    clock.time += 1;
    expect(await get('a')).toBe('value 2');
  });

  test('counts the age from the start of the load, not from its end', async () => {
    const { clock, lookUp, get } = aCache();
    await lookUp('a', async () => {
      clock.time += 100;
      return 'slow';
    });
    expect(await get('a')).toBe('value 1');
  });

  test('shares one load among concurrent callers', async () => {
    const { loads, get } = aCache();
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['value 1', 'value 1', 'value 2']);
    expect(loads).toEqual(['a', 'b']);
  });

  test('reports a failure to all callers, and does not keep it', async () => {
    const { lookUp, get } = aCache();
    const fail = () => lookUp('a', () => Promise.reject(new Error('down')));
    const outcomes = await Promise.allSettled([fail(), fail()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await get('a')).toBe('value 1');
  });

  test('keeps a value that arrived before an older load failed', async () => {
    const { clock, lookUp, get, loads } = aCache();
    let fail: (reason: Error) => void = () => {};
    const slow = lookUp('a', () => new Promise((_, reject) => (fail = reject)));
    clock.time += 100;
    await get('a');
    fail(new Error('down'));
    await expect(slow).rejects.toThrow('down');
    await get('a');
    expect(loads).toHaveLength(1);
  });

  test('evicts the least recently used entry', async () => {
    const { loads, get } = aCache();
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(loads).toEqual(['a', 'b', 'c', 'b']);
  });

  test('keeps only values worth keeping', async () => {
    const { loads, get } = aCache({ keep: (value) => value !== 'value 1' });
    for (let turn = 0; turn < 3; turn += 1) await get('a');
    expect(loads).toHaveLength(2);
  });

  test('is off with a ttl of 0', async () => {
    const { loads, get } = aCache({ ttlMs: 0 });
    await Promise.all([get('a'), get('a')]);
    expect(loads).toHaveLength(2);
  });

  test('lets nothing live longer when the clock is set back', async () => {
    const { clock, loads, get } = aCache();
    await get('a');
    clock.time -= 1;
    await get('a');
    expect(loads).toHaveLength(2);
  });

  test('lets a renewed value replace a fresh one', async () => {
    const { lookUp, get } = aCache();
    await get('a');
    expect(await lookUp('a', async () => 'renewed', true)).toBe('renewed');
    expect(await get('a')).toBe('renewed');
  });

  test('treats __proto__ as a key like any other', async () => {
    const { get } = aCache();
    expect(await get('__proto__')).toBe('value 1');
    expect(await get('__proto__')).toBe('value 1');
  });

  test('keeps values for at least four fifths of their time, at random', async () => {
    const { clock, get } = aCache({ random: () => 0 });
    await get('a');
    clock.time += 79;
    expect(await get('a')).toBe('value 1');
    clock.time += 1;
    expect(await get('a')).toBe('value 2');
  });
});

describe('a cache that may return stale values', () => {
  const aStaleCache = () =>
    aCache({ stale: { maxAgeMs: 1_000, mayPass: (error) => String(error).includes('throttled') } });
  const fails = (reason: string) => () => Promise.reject(new Error(reason));

  test('returns one when a load fails, and does not load again at once', async () => {
    const { clock, lookUp, get, loads } = aStaleCache();
    await get('a');
    clock.time += 100;
    expect(await lookUp('a', fails('throttled'))).toBe('value 1');
    clock.time += 99;
    expect(await get('a')).toBe('value 1');
    expect(loads).toHaveLength(1);
    clock.time += 1;
    expect(await get('a')).toBe('value 2');
  });

  test('tells a load whether a known value covers its failure', async () => {
    const { clock, lookUp } = aStaleCache();
    const told: boolean[] = [];
    const load = async (isCovered: boolean) => {
      told.push(isCovered);
      return 'value';
    };
    await lookUp('a', load);
    for (const ms of [100, 999, 1_000]) {
      clock.time += ms;
      await lookUp('a', load);
    }
    expect(told).toEqual([false, true, true, false]);
  });

  test('does not return one that is too old, however often it was used', async () => {
    const { clock, lookUp, get } = aStaleCache();
    await get('a');
    for (let round = 1; round < 10; round++) {
      clock.time += 100;
      expect(await lookUp('a', fails('throttled'))).toBe('value 1');
    }
    clock.time += 100;
    await expect(lookUp('a', fails('throttled'))).rejects.toThrow('throttled');
    await expect(lookUp('a', fails('throttled'))).rejects.toThrow('throttled');
  });

  test('does not return one when the failure is permanent, when nothing is known, or when the clock was set back', async () => {
    const { clock, lookUp, get } = aStaleCache();
    await expect(lookUp('b', fails('throttled'))).rejects.toThrow('throttled');
    await get('a');
    clock.time -= 500;
    await expect(lookUp('a', fails('throttled'))).rejects.toThrow('throttled');
    await get('a');
    clock.time += 100;
    await expect(lookUp('a', fails('no such item'))).rejects.toThrow('no such item');
  });
});
