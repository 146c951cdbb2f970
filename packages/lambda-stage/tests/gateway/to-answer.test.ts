import { describe, expect, test } from '@jest/globals';
import { toAnswer } from '../../src/gateway/to-answer.ts';

const read = (result: unknown) => {
  const { status, headers, body } = toAnswer(result);
  return { status, headers, body: Buffer.from(body).toString() };
};

const json = ['content-type', 'application/json'];

describe('a result without a status is the body of a 200', () => {
  test.each([
    [{ a: 1 }, '{"a":1}'],
    ['text', 'text'],
    [7, '7'],
    [[1], '[1]'],
    [null, 'null'],
    [undefined, 'null'],
  ])('%j', (result, body) => {
    expect(read(result)).toEqual({ status: 200, headers: [json], body });
  });
});

describe('a result with a status', () => {
  test('passes all of it', () => {
    expect(
      read({
        statusCode: 201,
        headers: { 'Content-Type': 'text/html', 'x-count': 3, 'x-odd': {}, 'content-length': '7' },
        cookies: ['a=1; Secure', 'b=2'],
        body: '<p>',
      }),
    ).toEqual({
      status: 201,
      headers: [
        ['content-type', 'text/html'],
        ['x-count', '3'],
        ['set-cookie', 'a=1; Secure'],
        ['set-cookie', 'b=2'],
      ],
      body: '<p>',
    });
  });

  test('passes base64 as bytes', () => {
    const bytes = Buffer.from([0, 255, 128]);
    const { body } = toAnswer({ statusCode: 200, isBase64Encoded: true, body: bytes.toString('base64') });
    expect(bytes.equals(body)).toBe(true);
  });

  test('passes text without a type as plain text, and no body without a type', () => {
    expect(read({ statusCode: 200, body: 'x' }).headers).toEqual([
      ['content-type', 'text/plain;charset=UTF-8'],
    ]);
    expect(read({ statusCode: 204 })).toEqual({ status: 204, headers: [], body: '' });
  });

  test.each([{ statusCode: '200' }, { statusCode: 99 }, { statusCode: 1.5 }, { statusCode: 200, body: {} }])(
    'that can’t be sent is a failure: %j',
    (result) => {
      expect(read(result)).toEqual({
        status: 500,
        headers: [json],
        body: '{"message":"Internal Server Error"}',
      });
    },
  );
});
