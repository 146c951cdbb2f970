import { describe, expect, test } from '@jest/globals';
import { type AllowList, parseAllowList } from '../../../lib/adapters/http-client/guarded-lookup.ts';
import { isAppError } from '../../../lib/shared/errors.ts';

type Destination = Parameters<AllowList>[0];

const to = (host: string, port: number, address: string): Destination => ({ host, port, address });

/** Does a list with this one entry let the destination pass? */
const allows = (entry: string, destination: Destination) => parseAllowList([entry])(destination);

describe('an allow-list', () => {
  test('allows nothing when it is empty', () => {
    expect(parseAllowList([])(to('127.0.0.1', 80, '127.0.0.1'))).toBe(false);
  });

  test('allows what any of its entries does', () => {
    const isAllowed = parseAllowList(['a.internal', '10.0.0.0/8']);
    expect(isAllowed(to('a.internal', 80, '127.0.0.1'))).toBe(true);
    expect(isAllowed(to('b.internal', 80, '10.1.1.1'))).toBe(true);
    expect(isAllowed(to('b.internal', 80, '127.0.0.1'))).toBe(false);
  });

  test('a host name means exactly that name, whatever it resolves to', () => {
    expect(allows('db.internal', to('db.internal', 80, '10.0.0.1'))).toBe(true);
    expect(allows('DB.Internal', to('db.internal', 80, '10.0.0.1'))).toBe(true);
    for (const host of ['a.db.internal', 'db.internal.', 'xdb.internal', 'internal']) {
      expect(allows('db.internal', to(host, 80, '10.0.0.1'))).toBe(false);
    }
  });

  test('an address means every host that resolves to it', () => {
    expect(allows('10.0.0.7', to('any.example', 80, '10.0.0.7'))).toBe(true);
    expect(allows('10.0.0.7', to('10.0.0.7', 443, '10.0.0.7'))).toBe(true);
    expect(allows('10.0.0.7', to('10.0.0.7', 443, '10.0.0.8'))).toBe(false);
    for (const entry of ['::1', '[::1]', '0:0::0001']) {
      expect(allows(entry, to('::1', 80, '::1'))).toBe(true);
      expect(allows(entry, to('::2', 80, '::2'))).toBe(false);
    }
  });

  test('an IPv4 address includes its IPv6 forms', () => {
    expect(allows('127.0.0.1', to('::ffff:7f00:1', 80, '::ffff:7f00:1'))).toBe(true);
    expect(allows('127.0.0.1', to('::ffff:7f00:2', 80, '::ffff:7f00:2'))).toBe(false);
  });

  test('a network means all its addresses', () => {
    for (const address of ['10.0.0.0', '10.255.255.255']) {
      expect(allows('10.0.0.0/8', to('x', 80, address))).toBe(true);
    }
    for (const address of ['9.255.255.255', '11.0.0.0', '::1']) {
      expect(allows('10.0.0.0/8', to('x', 80, address))).toBe(false);
    }
    expect(allows('fd00::/8', to('x', 80, 'fdff::1'))).toBe(true);
    expect(allows('fd00::/8', to('x', 80, 'fe00::1'))).toBe(false);
    expect(allows('0.0.0.0/0', to('x', 80, '127.0.0.1'))).toBe(true);
  });

  test.each([
    ['db.internal:8080', to('db.internal', 8080, '10.0.0.1'), to('db.internal', 80, '10.0.0.1')],
    ['10.0.0.7:8080', to('x', 8080, '10.0.0.7'), to('x', 8081, '10.0.0.7')],
    ['[::1]:9000', to('::1', 9000, '::1'), to('::1', 9001, '::1')],
    ['localhost:65535', to('localhost', 65_535, '::1'), to('localhost', 1, '::1')],
  ])('%s allows only that port', (entry, right, wrong) => {
    expect(allows(entry, right)).toBe(true);
    expect(allows(entry, wrong)).toBe(false);
  });

  test.each([
    '',
    ' ',
    '*',
    '*.internal',
    'http://db.internal',
    'db.internal/',
    'db.internal/8',
    'db.internal:0',
    'db.internal:65536',
    'db.internal:',
    'db.internal:http',
    'db internal',
    ' db.internal',
    'a,b',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/8:80',
    'fd00::/129',
    '127.1',
    '2130706433',
    '0x7f.1',
    '1.2.3.256',
    '[db.internal]',
    '[127.1]:80',
    '[::1',
    '::1]:80',
    'user@db.internal',
    'dü.internal',
  ])('%j is rejected instead of guessed at', (entry) => {
    let error: unknown;
    try {
      parseAllowList(['ok.internal', entry]);
    } catch (thrown) {
      error = thrown;
    }
    expect(isAppError(error, 'CONFIGURATION_INVALID')).toBe(true);
    expect(String(error)).toContain(`"${entry}" in the list of allowed hosts`);
  });
});
