import { expect, test } from '@jest/globals';
import { findHostLimits, parseHostLimits } from '../../../lib/credentials/outbound/host-limits.ts';

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
