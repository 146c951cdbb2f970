import { describe, expect, test } from '@jest/globals';
import { joinUrl } from '../index.ts';

describe('joinUrl', () => {
  test.each([
    ['https://api.example/v1/', '/orders/a%2Fb', 'https://api.example/v1/orders/a%2Fb'],
    ['https://api.example/v1?k=1', '/orders', 'https://api.example/v1/orders?k=1'],
    ['https://api.example', '/..a/b..', 'https://api.example/..a/b..'],
  ])('%s and %s are %s', (baseUrl, path, expected) => {
    expect(joinUrl(baseUrl, path)).toBe(expected);
  });

  test.each(['/orders/..', '/../x', '/a/./b', '/a/%2E%2e/b', '/a\\..\\b', '/a/.\t./b'])(
    'refuses the path %j, which would lead elsewhere',
    (path) => {
      expect(() => joinUrl('https://api.example/v1', path)).toThrow(
        'The path of the request must not have a segment . or ..',
      );
    },
  );
});
