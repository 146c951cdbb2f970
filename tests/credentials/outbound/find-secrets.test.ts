import { describe, expect, test } from '@jest/globals';
import { createFindSecrets } from '../../../lib/credentials/outbound/find-secrets.ts';

const find = (text: string, ...secrets: string[]) => createFindSecrets(secrets)(text);

const toHex = (text: string) => Buffer.from(text).toString('hex');
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

describe('the range of a secret', () => {
  test.each([
    ['in base64, after three bytes', toBase64('xxxsecret-1234'), 'secret-1234', [4, 19]],
    ['in hexadecimal digits that encode nothing else', toHex('secret'), 'secret', [0, 12]],
    ['in hexadecimal digits, after an odd number of others', `a${toHex('secret')}b`, 'secret', [1, 13]],
    ['in three layers', toHex(toHex(toHex('secret'))), 'secret', [0, 48]],
    ['in base64 that LF breaks', toBase64('secret-1234').replaceAll(/.{5}/g, '$&\n'), 'secret-1234', [0, 17]],
    ['in base64 that CR breaks', toBase64('secret-1234').replaceAll(/.{5}/g, '$&\r'), 'secret-1234', [0, 17]],
  ])('%s', (_where, text, secret, range) => {
    expect(find(text, secret)).toEqual([range]);
  });

  test.each([
    ['four layers', toHex(toHex(toHex(toHex('secret')))), 'secret'],
    ['base64 that a space divides', 'c2VjcmV0 LTEyMzQ=', 'secret-1234'],
    ['half of a pair of hexadecimal digits', `${toHex('secret-')}3`, 'secret-/'],
    ['an escape of another character', 'b a%zz', 'axbbbbbb'],
    ['a run of backslashes', '\\'.repeat(14), `${'\\'.repeat(6)}x`],
  ])('there is none in %s', (_where, text, secret) => {
    expect(find(text, secret)).toEqual([]);
  });

  test('is found where the pieces of long base64 overlap', () => {
    const secret = 'secret-'.repeat(12);
    for (const digits of [65_536, 65_584, 66_208]) {
      const text = toBase64(`${'x'.repeat((digits / 4) * 3 - 42)}${secret}${'y'.repeat(1_000)}`);
      const [range, ...others] = find(text, 'shorty', secret) ?? [];
      expect([range?.[0], others.length > 1]).toEqual([digits - 56, false]);
    }
  });
});

describe('a search takes a limited number of steps', () => {
  const secret = `${'a'.repeat(72)}b`; // compared 72 times at each position

  test('which grows with the text, and none more', () => {
    expect(find('a'.repeat(125_647), secret)).toEqual([]);
    expect(find('a'.repeat(125_648), secret)).toBeNull();
  });

  test.each([
    ['escapes that are compared', '%41'.repeat(2_000), `${'A'.repeat(70)}B`, null],
    ['escapes with several layers', '\\u005c'.repeat(5_000), 'secret-1', null],
    ['usual escapes', '%41'.repeat(20_000), 'secret-1', []],
    ['escapes of the plus sign', '%2B'.repeat(20_000), 'secret-1', []],
  ])('of which %s take more', (_what, text, searched, ranges) => {
    expect(find(text, searched)).toEqual(ranges);
  });
});
