import { describe, expect, test } from '@jest/globals';
import { hostOfUrl, isForHost, readHostPattern } from '../../../lib/credentials/outbound/host-pattern.ts';

describe('a host pattern is parsed as people write it:', () => {
  test.each([
    ['*', '*'],
    ['api.example.com', 'api.example.com'],
    ['API.Example.com', 'api.example.com'],
    ['*.example.com', '*.example.com'],
    ['*.example.com:8443', '*.example.com:8443'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost:8080', 'localhost:8080'],
    ['api.example.com:0443', 'api.example.com:443'],
    ['[::1]:8080', '[::1]:8080'],
    ['2130706433', '127.0.0.1'],
    ['api.example.com:65535', 'api.example.com:65535'],
    [`${'a'.repeat(288)}.example.com`, `${'a'.repeat(288)}.example.com`],
  ])('%s is %s', (text, pattern) => expect(readHostPattern(text)).toBe(pattern));

  test.each([
    '',
    '*.',
    '**',
    '*:443',
    '*.*.example.com',
    'api.*.example.com',
    'https://api.example.com',
    'api.example.com/v1',
    'ann@api.example.com',
    'api.example.com:',
    'api.example.com:0',
    'api.example.com:65536',
    'api.example.com:443:443',
    'a b',
    'api.example.com\\@evil.example',
    'api.example.com?x',
    'api.example.com#x',
    '[::1',
    '::1',
    'a%zz.example.com',
    `${'a'.repeat(289)}.example.com`,
  ])('%j is not one', (text) => expect(readHostPattern(text)).toBeNull());
});

describe('the host of a URL', () => {
  test.each([
    ['https://api.example.com/v1?key=a', 'api.example.com'],
    ['https://api.example.com:443/', 'api.example.com'],
    ['http://127.0.0.1:4010/v1', '127.0.0.1:4010'],
    ['http://[::1]:80/', '[::1]'],
    ['ftp://api.example.com/', null],
    ['api.example.com', null],
    ['mailto:ann@example.com', null],
  ])('%s is %s', (url, host) => expect(hostOfUrl(url)).toBe(host));

  test.each([
    'https://api.example.com/',
    'http://api.example.com:8080/',
    'http://[::1]:8080/',
    'https://BÜCHER.example/',
    'http://0x7f.1/',
  ])('of %s has a pattern that matches it', (url) => {
    const pattern = readHostPattern(hostOfUrl(url) ?? '');
    expect(isForHost([pattern ?? ''], url)).toBe(true);
  });
});

describe('a pattern', () => {
  test.each([
    ['api.example.com', 'https://api.example.com/v1'],
    ['api.example.com', 'https://API.EXAMPLE.COM/'],
    ['api.example.com', 'http://api.example.com/'],
    ['api.example.com:443', 'https://api.example.com/'],
    ['api.example.com:8443', 'https://api.example.com:8443/'],
    ['*.example.com', 'https://api.example.com/'],
    ['*.example.com', 'https://a.b.example.com/'],
    ['*.example.com:8443', 'https://a.example.com:8443/'],
    ['[::1]:8080', 'http://[0:0::1]:8080/'],
    ['*', 'http://evil.example:1/'],
  ])('%s matches %s', (pattern, url) => expect(isForHost([pattern], url)).toBe(true));

  test.each([
    ['api.example.com', 'https://evil.example/'],
    ['api.example.com', 'https://api.example.com.evil.example/'],
    ['api.example.com', 'https://evil.example/api.example.com'],
    ['api.example.com', 'https://api.example.com@evil.example/'],
    ['api.example.com', 'https://evil.example\\@api.example.com/'],
    ['api.example.com', 'https://evilapi.example.com/'],
    ['api.example.com', 'https://x.api.example.com/'],
    ['api.example.com', 'https://api.example.com:8443/'],
    ['api.example.com', 'http://api.example.com:443/'],
    ['api.example.com:443', 'http://api.example.com/'],
    ['api.example.com:8443', 'https://api.example.com/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://evilexample.com/'],
    ['*.example.com', 'https://a.example.com:8443/'],
    ['api.example.com', 'ftp://api.example.com/'],
    ['*', 'file:///etc/passwd'],
    ['*', 'no URL'],
    ['not a pattern', 'https://api.example.com/'],
  ])('%s does not match %s', (pattern, url) => expect(isForHost([pattern], url)).toBe(false));

  test('an empty list matches none', () => expect(isForHost([], 'https://api.example.com/')).toBe(false));
});
