import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { FILE_NOT_FOUND, STORE_UNAVAILABLE } from '../../lib/shared/error-catalogue.ts';
import { AppError } from '../../lib/shared/errors.ts';
import { answerSpecially } from '../../lib/webhooks/answer-specially.chunk.ts';

const file = {
  $file: 'e-1/a/0.1',
  name: 'a.png',
  mediaType: 'image/png',
  size: 3,
  sha256: 'a'.repeat(64),
};

const opening = (content: () => AsyncIterable<Uint8Array>) => () => ({ open: async () => content() });
const threeBytes = opening(async function* () {
  yield Buffer.from([0, 255]);
  yield Buffer.from([13]);
});

const answered = (response: JsonObject, openFiles = threeBytes) =>
  answerSpecially('e-1', { status: 'succeeded', nodes: [], output: {}, response, failure: null }, openFiles);

const refusal = expect.objectContaining({ code: 'RESPONSE_INVALID', status: 500 });

describe('cookies of a response', () => {
  const setCookie = ['a=1; Path=/', 'b=; Max-Age=0'];

  test('are a header each, with or without a body', async () => {
    expect(await answered({ setCookie, body: 'hi' })).toMatchObject({ body: 'hi', cookies: setCookie });
    expect(await answered({ setCookie, status: 204 })).toMatchObject({ body: null, cookies: setCookie });
    expect(await answered({ setCookie: [] })).not.toHaveProperty('cookies');
  });

  test.each<[string, JsonValue]>([
    ['that is not text', [1]],
    ['without a name', ['=a']],
    ['without a value', ['a; Path=/']],
    ['whose name has a space', ['a b=c']],
    ['with a line break', ['a=b\r\nx: y']],
    ['beyond ASCII', ['a=ä']],
    ['that is not in a list', 'a=b'],
    ['too many', Array(51).fill('a=b')],
  ])('with one %s are refused', async (_case, setCookie) => {
    await expect(answered({ setCookie })).rejects.toEqual(refusal);
  });
});

describe('a file as the body of a response', () => {
  test('is sent as bytes, with its media type and name', async () => {
    expect(await answered({ status: 201, body: file })).toEqual({
      status: 201,
      headers: {
        'content-type': 'image/png',
        'content-disposition': `inline; filename="a.png"; filename*=UTF-8''a.png`,
        'hookloom-execution-id': 'e-1',
      },
      body: Buffer.from([0, 255, 13]).toString('base64'),
      isBase64: true,
      executionId: 'e-1',
    });
  });

  test('leaves the node’s headers unchanged', async () => {
    const headers = { 'Content-Type': 'image/x-icon', 'Content-Disposition': 'attachment' };
    expect((await answered({ body: file, headers })).headers).toMatchObject({
      'content-type': 'image/x-icon',
      'content-disposition': 'attachment',
    });
  });

  test.each(['text/xsl', 'image/svg+xml', 'text/html; charset=utf-8', 'x/unknown', 'a/b, text/html', ''])(
    'of the type %j is an attachment with its name, in a sandbox',
    async (mediaType) => {
      const { headers } = await answered({ body: { ...file, mediaType } });
      expect(headers).toMatchObject({
        'content-disposition': `attachment; filename="a.png"; filename*=UTF-8''a.png`,
        'content-security-policy': 'sandbox',
      });
    },
  );

  test('is shown as HTML in a sandbox if the node declares it as HTML', async () => {
    const headers = { 'Content-Type': 'text/html' };
    const { headers: all } = await answered({ body: { ...file, mediaType: 'text/plain' }, headers });
    expect(all).toMatchObject({
      'content-disposition': expect.stringMatching(/^inline; filename="a.png"/),
      'content-security-policy': 'sandbox',
    });
  });

  test.each(['', 'a/b\r\nset-cookie: c', 'ä/b'])('of the type %j has the generic type', async (mediaType) => {
    const { headers } = await answered({ body: { ...file, mediaType } });
    expect(headers['content-type']).toBe('application/octet-stream');
  });

  test.each([
    ['"a"\r\nb.png', `inline; filename="_a___b.png"; filename*=UTF-8''%22a%22%0D%0Ab.png`],
    ["ä'(1)*.png", `inline; filename="_'(1)*.png"; filename*=UTF-8''%C3%A4%27%281%29%2a.png`],
    ['\ud800', `inline; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ])('named %j cannot break out of a header', async (name, expected) => {
    const { headers } = await answered({ body: { ...file, name } });
    expect(headers['content-disposition']).toBe(expected);
  });

  test('is not read for a status without a body', async () => {
    const never = () => {
      throw new Error('opened');
    };
    expect(await answered({ status: 204, body: file }, never)).toMatchObject({ status: 204, body: null });
  });

  test('of another execution, or of another shape, is data', async () => {
    for (const body of [
      { ...file, $file: 'e-2/a/0.1' },
      { ...file, $file: 'e-10/a/0.1' },
      { $file: 'e-1/a/0.1' },
    ])
      expect(await answered({ body })).toMatchObject({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
  });

  test.each([
    ['no longer exists', new AppError(FILE_NOT_FOUND, { name: 'a' })],
    ['cannot be read now', new AppError(STORE_UNAVAILABLE, {})],
  ])('that %s is a failure of the run, not a reason to retry the request', async (_case, error) => {
    const failing = () => ({ open: () => Promise.reject(error) });
    await expect(answered({ body: file }, failing)).rejects.toEqual(refusal);
  });

  test('that is too large for a response is not opened', async () => {
    await expect(answered({ body: { ...file, size: 4_500_001 } })).rejects.toEqual(refusal);
  });

  test('with headers that are not an object is refused', async () => {
    await expect(answered({ body: file, headers: [] })).rejects.toEqual(refusal);
  });
});
