import { describe, expect, test } from '@jest/globals';
import { fetchedKeys } from '../../../../lib/webhooks/features/signature/fetched-keys.ts';
import type { FeaturePorts } from '../../../../lib/webhooks/webhook-feature.ts';
import { aManualClock } from '../../../support/a-manual-clock.ts';

const URL_OF_KEYS = 'https://keys.example/a';
const unavailable = { code: 'SENDER_KEYS_UNAVAILABLE' };

/** Keys that count how often they were fetched. */
const someKeys = () => {
  const clock = aManualClock();
  const requests: Parameters<FeaturePorts['http']['request']>[0][] = [];
  let status = 200;
  const http: FeaturePorts['http'] = {
    request: async (request) => {
      requests.push(request);
      return {
        status,
        url: request.url,
        headers: {},
        stream: null,
        body: Buffer.from(`keys ${requests.length}`),
      };
    },
  };
  const ports = { clock, http } as unknown as FeaturePorts;
  const keys = fetchedKeys({ parse: (text) => ({ text }), maxRedirects: 2 })(ports);
  const answer = (next: number) => {
    status = next;
  };
  return { ...keys, clock, requests, answer };
};

test('keys are fetched with limits, and kept for ten minutes', async () => {
  const { find, clock, requests } = someKeys();
  expect(await find(URL_OF_KEYS)).toEqual({ text: 'keys 1' });
  expect(requests).toEqual([
    {
      method: 'GET',
      url: URL_OF_KEYS,
      headers: { accept: '*/*' },
      body: null,
      timeoutMs: 5_000,
      maxRedirects: 2,
      maxResponseBytes: 262_144,
      signal: expect.any(AbortSignal),
    },
  ]);
  clock.advance(599_999);
  expect(await find(URL_OF_KEYS)).toEqual({ text: 'keys 1' });
  clock.advance(1);
  expect(await find(URL_OF_KEYS)).toEqual({ text: 'keys 2' });
});

test('keys are renewed once in half a minute', async () => {
  const { find, renew, clock } = someKeys();
  expect(await renew(URL_OF_KEYS)).toEqual({ text: 'keys 1' });
  clock.advance(29_999);
  expect(await renew(URL_OF_KEYS)).toEqual({ text: 'keys 1' });
  clock.advance(1);
  expect(await renew(URL_OF_KEYS)).toEqual({ text: 'keys 2' });
  expect(await find(URL_OF_KEYS)).toEqual({ text: 'keys 2' });
});

test('keys that cannot be fetched are requested again after five seconds', async () => {
  const { find, renew, clock, requests, answer } = someKeys();
  answer(404);
  await expect(find(URL_OF_KEYS)).rejects.toMatchObject({
    ...unavailable,
    cause: new Error('the key URL returned 404'),
  });
  answer(200);
  clock.advance(4_999);
  await expect(find(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
  await expect(renew(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
  expect(requests).toHaveLength(1);
  clock.advance(1);
  expect(await renew(URL_OF_KEYS)).toEqual({ text: 'keys 2' });
});

test('a clock that is set back keeps neither keys nor the limit on fetches', async () => {
  const { find, clock } = someKeys();
  for (let count = 1; count <= 30; count++) await find(`${URL_OF_KEYS}${count}`);
  await expect(find(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
  clock.advance(-1);
  expect(await find(`${URL_OF_KEYS}1`)).toEqual({ text: 'keys 31' });
});

test('thirty URLs are fetched in half a minute, and the keys of a hundred are kept', async () => {
  const { find, clock, requests } = someKeys();
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 30; count++) await find(`${URL_OF_KEYS}${round}-${count}`);
    await expect(find(URL_OF_KEYS)).rejects.toMatchObject({ cause: new Error('too many key URLs') });
    clock.advance(29_999);
    await expect(find(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
    clock.advance(1);
  }
  expect(requests).toHaveLength(120);
  await find(`${URL_OF_KEYS}0-20`);
  expect(requests).toHaveLength(120);
  await find(`${URL_OF_KEYS}0-19`);
  expect(requests).toHaveLength(121);
});

describe('keys that have verified a request', () => {
  test('are used while they cannot be fetched, for a day, and fetched every half minute', async () => {
    const { find, trust, clock, requests, answer } = someKeys();
    await find(URL_OF_KEYS);
    trust(URL_OF_KEYS);
    answer(503);
    for (let second = 0; second < 86_400; second += 10) {
      expect(await find(URL_OF_KEYS)).toEqual({ text: 'keys 1' });
      clock.advance(10_000);
    }
    expect(requests).toHaveLength(1 + (86_400 - 600) / 30);
    await expect(find(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
    answer(200);
    clock.advance(30_000);
    expect(await find(URL_OF_KEYS)).toEqual({ text: expect.stringMatching(/^keys \d+$/) });
  });

  test('are not used in place of new ones that a request asks for', async () => {
    const { find, renew, trust, clock, answer } = someKeys();
    const known = await find(URL_OF_KEYS);
    trust(URL_OF_KEYS);
    clock.advance(30_000);
    answer(503);
    await expect(renew(URL_OF_KEYS)).rejects.toMatchObject(unavailable);
    expect(await find(URL_OF_KEYS)).toBe(known);
  });

  test('keep their place and their fetches, however many other URLs are asked for', async () => {
    const { find, trust, clock, requests, answer } = someKeys();
    await find(URL_OF_KEYS);
    trust(URL_OF_KEYS);
    let fetched = 1;
    for (let second = 1; second <= 1_800; second++) {
      clock.advance(1_000);
      answer(404);
      for (const attempt of [1, 2])
        await expect(find(`${URL_OF_KEYS}?${second}-${attempt}`)).rejects.toMatchObject(unavailable);
      answer(200);
      await find(URL_OF_KEYS);
      fetched += second % 600 === 0 ? 1 : 0;
      expect(requests.filter(({ url }) => url === URL_OF_KEYS)).toHaveLength(fetched);
    }
  });
});
