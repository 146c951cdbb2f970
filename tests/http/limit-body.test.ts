import { describe, expect, test } from '@jest/globals';
import { limitBody } from '../../lib/http/limit-body.ts';

const tooLarge = expect.objectContaining({ code: 'BODY_TOO_LARGE', status: 413 });

describe('the size of a body', () => {
  test.each([
    ['a text of as many bytes', { body: 'x'.repeat(8) }],
    ['as many bytes in UTF-8', { body: 'ää日' + 'x' }],
    ['as many bytes in base64', { body: Buffer.alloc(8).toString('base64'), isBase64Encoded: true }],
    ['no body', { body: null }],
    ['no event', null],
    ['a body that is not text, which is refused elsewhere', { body: { length: 9 } }],
  ])('allows %s', (_case, event) => {
    expect(() => limitBody(event, 8)).not.toThrow();
  });

  test.each([
    ['one byte more', { body: 'x'.repeat(9) }],
    ['one byte more in UTF-8', { body: 'ää日xx' }],
    ['one byte more in base64', { body: Buffer.alloc(9).toString('base64'), isBase64Encoded: true }],
    ['one byte more that only looks like base64', { body: 'aGVsbG8h+', isBase64Encoded: false }],
  ])('refuses %s', (_case, event) => {
    expect(() => limitBody(event, 8)).toThrow(tooLarge);
  });
});
