import { describe, expect, test } from '@jest/globals';
import { findHostLimits, parseHostLimits } from '../../../lib/credentials/outbound/host-limits.ts';
import { anOutboundRequest } from '../../support/an-outbound-request.ts';
import { anOutboundService } from '../../support/outbound-credentials.ts';

test('limits of hosts are for calls per second, at a time, or both, and the first entry of a host counts', () => {
  const all = parseHostLimits([
    'api.example.com=10/s',
    '*.example.com=5',
    'localhost:8080=0.5/s+2',
    '*=500/s',
  ]);
  const found = (url: string) => findHostLimits(all, url);
  expect(found('https://api.example.com/a')).toMatchObject({ key: 'host:api.example.com', perSecond: 10 });
  expect(found('https://other.example.com')).toMatchObject({ key: 'host:*.example.com', atOnce: 5 });
  expect(found('http://localhost:8080')).toMatchObject({ perSecond: 0.5, atOnce: 2 });
  expect(found('https://example.org')).toMatchObject({ key: 'host:*', perSecond: 500 });
  expect(findHostLimits(all.slice(0, 1), 'https://example.org')).toBeNull();
});

test.each([
  ['0.001/s', { perSecond: 0.001 }],
  ['500/s', { perSecond: 500 }],
  ['1', { atOnce: 1 }],
  ['100', { atOnce: 100 }],
  ['0.001/s+100', { perSecond: 0.001, atOnce: 100 }],
])('may be %s', (limits, parsed) => {
  expect(parseHostLimits([`api.example.com=${limits}`])).toEqual([{ host: 'api.example.com', ...parsed }]);
});

test.each([
  'api.example.com',
  'api.example.com=',
  'api.example.com=0/s',
  'api.example.com=501/s',
  'api.example.com=0.0001/s',
  'api.example.com=10/m',
  'api.example.com=10/s+0',
  'api.example.com=101',
  'api.example.com=1.5',
  'https://api.example.com=10/s',
  '=10/s',
  `${'a'.repeat(301)}=1`,
])('%s is refused', (entry) => {
  expect(() => parseHostLimits([entry])).toThrow(/in OUTBOUND_LIMITS must be HOST=RATE\/s/);
});

describe('a call', () => {
  /** A service whose hosts are called every 20 s, and two of its credentials every 10 s; no call may take that long. */
  const aLimitedService = async () => {
    const service = anOutboundService({ hostLimits: parseHostLimits(['*.example.com=0.05/s']) });
    for (const id of ['crm', 'other'])
      await service.put(id, 'httpBearer', { token: 'token-1' }, {}, ['*'], { perSecond: 0.1 });
    await service.put('unlimited', 'httpBearer', { token: 'token-1' }, {}, ['*']);
    const loan = await service.credentials.open();
    return async (id: string | null, url = 'https://api.example.com') => {
      const credential = id === null ? undefined : await loan.lend(id, ['httpBearer']);
      const request = { ...anOutboundRequest(url), timeoutMs: 5_000 };
      return service.credentials.request({ ...request, ...(credential === undefined ? {} : { credential }) });
    };
  };
  const refused = (limit: string) => ({
    name: 'CallLimitReached',
    message: expect.stringContaining(`the limit of ${limit}:`),
  });

  test('with a credential that has limits waits for these alone', async () => {
    const call = await aLimitedService();
    await call('crm');
    await expect(call('crm')).rejects.toMatchObject(refused('credential "crm" is 1 call in 10 s'));
    await expect(call('crm', 'https://a.example')).rejects.toMatchObject(
      refused('credential "crm" is 1 call in 10 s'),
    );
    expect(await call('other')).toMatchObject({ status: 200 });
  });

  test.each(['unlimited', null])('with the credential %j waits for the limits of its host', async (id) => {
    const call = await aLimitedService();
    await call(id);
    await expect(call(id)).rejects.toMatchObject(refused('host "*.example.com" is 1 call in 20 s'));
    expect(await call(id, 'https://a.example')).toMatchObject({ status: 200 });
    expect(await call(id, 'https://a.example')).toMatchObject({ status: 200 });
  });
});
