import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cases } from '../../../tests/support/deep.ts';
import { findAddressProblem } from '../tools/address-guard.ts';
import { familyOf, toBlockList } from '../tools/networks.ts';

/**
 * What is not for the public internet, first and last address, written down from IANA's special-purpose registries
 * independently of the guard, so that a slip in either shows.
 */
const specialV4: readonly (readonly [first: string, last: string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];

const toNumber = (v4: string): number => v4.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const fromNumber = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

const isPublicV4 = (number: number): boolean =>
  specialV4.every(([first, last]) => number < toNumber(first) || number > toNumber(last));

/** Eight groups of 16 bits. */
type Groups = readonly number[];

const isPublicV6 = (groups: Groups): boolean => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if ([a, b, c, d, e].every((group) => group === 0) && f === 0xffff) return isPublicV4(g * 65_536 + h);
  if (a === 0x64 && b === 0xff9b && [c, d, e, f].every((group) => group === 0))
    return isPublicV4(g * 65_536 + h);
  if (a < 0x2000 || a > 0x3fff) return false;
  if (a === 0x2001 && (b < 0x200 || b === 0xdb8)) return false;
  return a !== 0x2002 && !(a === 0x3fff && b < 0x1000);
};

const toText = (groups: Groups): string => groups.map((group) => group.toString(16)).join(':');

const edges = specialV4.flatMap(([first, last]) => [
  toNumber(first) - 1,
  toNumber(first),
  toNumber(last),
  toNumber(last) + 1,
]);
const anyV4 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.constantFrom(...edges.filter((edge) => edge >= 0 && edge < 2 ** 32)),
);

const group = fc.integer({ min: 0, max: 0xffff });
const nearSpecial = fc.constantFrom<readonly [number, number]>(
  [0x2001, 0],
  [0x2001, 0x1ff],
  [0x2001, 0x200],
  [0x2001, 0xdb7],
  [0x2001, 0xdb8],
  [0x2001, 0xdb9],
  [0x2002, 0],
  [0x2003, 0],
  [0x3fff, 0xfff],
  [0x3fff, 0x1000],
  [0x1fff, 0xffff],
  [0x2000, 0],
  [0x4000, 0],
  [0x64, 0xff9b],
  [0xfc00, 0],
  [0xfe80, 0],
  [0xff02, 0],
);
const anyV6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }),
  fc
    .tuple(nearSpecial, fc.array(group, { minLength: 6, maxLength: 6 }))
    .map(([head, tail]) => [...head, ...tail]),
  anyV4.map((v4) => [0, 0, 0, 0, 0, 0xffff, Math.floor(v4 / 65_536), v4 % 65_536]),
  anyV4.map((v4) => [0, 0, 0, 0, 0, 0, Math.floor(v4 / 65_536), v4 % 65_536]),
  anyV4.map((v4) => [0x64, 0xff9b, 0, 0, 0, 0, Math.floor(v4 / 65_536), v4 % 65_536]),
  anyV4.map((v4) => [0x64, 0xff9b, 0, 0, 0, 1, Math.floor(v4 / 65_536), v4 % 65_536]),
);

describe('the address guard', () => {
  test('allows every public IPv4 address, and no other', () => {
    fc.assert(
      fc.property(anyV4, (v4) => {
        expect(findAddressProblem(fromNumber(v4)) === null).toBe(isPublicV4(v4));
      }),
      { numRuns: cases(500, 3_000) },
    );
  });

  test('allows every public IPv6 address, and no other', () => {
    fc.assert(
      fc.property(anyV6, (groups) => {
        expect(findAddressProblem(toText(groups)) === null).toBe(isPublicV6(groups));
      }),
      { numRuns: cases(500, 3_000) },
    );
  });

  test('treats every IPv6 form of an IPv4 address the same', () => {
    fc.assert(
      fc.property(anyV4, (number) => {
        const v4 = fromNumber(number);
        const [high, low] = [Math.floor(number / 65_536), number % 65_536].map((part) => part.toString(16));
        const mapped = ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '0000::ffff:'];
        const translated = ['64:ff9b::', '0064:FF9B::', '64:ff9b:0:0:0:0:', '64:ff9b:0::0:'];
        for (const prefix of [...mapped, ...translated]) {
          expect(findAddressProblem(`${prefix}${v4}`)).toBe(findAddressProblem(v4));
          expect(findAddressProblem(`${prefix}${high}:${low}`)).toBe(findAddressProblem(v4));
        }
      }),
    );
  });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local'], // the metadata of EC2
    ['169.254.170.2', 'link-local'], // the credentials of a container
    ['100.100.100.200', 'shared by a carrier'],
    ['0.0.0.0', 'this network'],
    ['192.0.0.192', 'special'],
    ['192.0.2.1', 'documentation'],
    ['239.255.255.250', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['::1', 'not global'],
    ['::', 'not global'],
    ['fe80::1', 'not global'],
    ['fd00:ec2::254', 'not global'], // the metadata of EC2
    ['ff02::1', 'not global'],
    ['::127.0.0.1', 'not global'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['64:ff9b::1', 'this network'],
    ['64:ff9b::', 'this network'],
    ['64:ff9b:1::101:101', 'not global'], // translation that a network keeps to itself (RFC 8215)
    ['2002:7f00:1::', 'a tunnel to IPv4'],
    ['2001::1', 'special'],
    ['2001:db8::1', 'documentation'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'link-local'],
  ])('%s is %s', (address, problem) => {
    expect(findAddressProblem(address)).toBe(problem);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2606:4700:4700::1111',
  ])('%s is public', (address) => {
    expect(findAddressProblem(address)).toBeNull();
  });

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '1.1.1.1 ',
    '[::1]',
    'fe80::1%eth0',
    '2600::1%1',
  ])('%j is not a plain address', (text) => {
    expect(findAddressProblem(text)).toBe('not a plain IP address');
  });
});

test('familyOf returns what a list of networks needs', () => {
  expect([familyOf('1.2.3.4'), familyOf('::1')]).toEqual(['ipv4', 'ipv6']);
  expect(toBlockList(['10.0.0.0/8', 'fd00::/8']).check('fd12::1', 'ipv6')).toBe(true);
});
