import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, test } from '@jest/globals';
import {
  checkAddress,
  createGuardedLookup,
  parseAllowList,
  type ResolveHost,
  resolveHost,
} from '../../../lib/adapters/http-client/guarded-lookup.ts';

const outbound = { target: 'GET api.example.com', host: 'api.example.com', port: 443 };

/** What a socket would be told. */
const lookUp = (resolve: ResolveHost, { allow = [] as string[], options = {} as LookupOptions } = {}) =>
  new Promise<string | LookupAddress[]>((done, fail) => {
    const lookup = createGuardedLookup(outbound, resolve, parseAllowList(allow));
    lookup('api.example.com', options, (error, address) => (error ? fail(error) : done(address)));
  });

describe('the lookup of a socket', () => {
  test('returns the public addresses of the host, all or the first as the socket asks', async () => {
    const resolve = async () => ['1.1.1.1', '2606:4700::1'];
    expect(await lookUp(resolve, { options: { all: true } })).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    expect(await lookUp(resolve)).toBe('1.1.1.1');
  });

  // holds: private-addresses-refused
  test('resolves once, so that the checked address is the one connected to', async () => {
    const asked: string[] = [];
    await lookUp(async (hostname) => {
      asked.push(hostname);
      return asked.length === 1 ? ['1.1.1.1'] : ['127.0.0.1'];
    });
    expect(asked).toEqual(['api.example.com']);
  });

  test.each([
    ['first', ['10.0.0.1', '1.1.1.1']],
    ['last', ['1.1.1.1', '2606:4700::1', '10.0.0.1']],
    ['mapped', ['1.1.1.1', '::ffff:10.0.0.1']],
    ['alone', ['10.0.0.1']],
  ])('refuses the host when one of its addresses is private: %s', async (_place, addresses) => {
    for (const all of [true, false]) {
      await expect(lookUp(async () => addresses, { options: { all } })).rejects.toMatchObject({
        code: 'OUTBOUND_REFUSED',
        message:
          'GET api.example.com was refused: api.example.com resolves to an address that is not public (private); the setting OUTBOUND_ALLOW can allow api.example.com:443.',
      });
    }
  });

  test('shows the address only in the log', async () => {
    const error = await lookUp(async () => ['10.0.0.1']).catch((error) => error);
    expect(error.message).not.toContain('10.0.0.1');
    expect(error.cause.message).toBe('api.example.com resolves to 10.0.0.1');
  });

  test('returns private addresses that are allowed', async () => {
    const resolve = async () => ['1.1.1.1', '10.0.0.1'];
    expect(await lookUp(resolve, { allow: ['10.0.0.0/8'] })).toBe('1.1.1.1');
    expect(await lookUp(resolve, { allow: ['api.example.com:443'] })).toBe('1.1.1.1');
    await expect(lookUp(resolve, { allow: ['api.example.com:80'] })).rejects.toThrow('not public');
  });

  test('treats a host without an address as unknown', async () => {
    await expect(lookUp(async () => [])).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('passes on why the lookup failed', async () => {
    await expect(lookUp(() => Promise.reject(new Error('no server')))).rejects.toThrow('no server');
  });

  test('refuses what is not an address', async () => {
    await expect(lookUp(async () => ['fe80::1%eth0'])).rejects.toThrow('not a plain IP address');
  });
});

test('a literal address is reported as such', () => {
  expect(() =>
    checkAddress({ target: 'GET 10.0.0.1', host: '10.0.0.1', port: 80 }, '10.0.0.1', parseAllowList([])),
  ).toThrow(
    'GET 10.0.0.1 was refused: 10.0.0.1 is an address that is not public (private); the setting OUTBOUND_ALLOW can allow 10.0.0.1:80.',
  );
});

test('the system resolves localhost to loopback', async () => {
  const addresses = await resolveHost('localhost');
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address);
});
