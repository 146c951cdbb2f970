import { emit, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { respondToWebhook } from '../../nodes/webhook/respond-to-webhook.ts';
import { runNode } from '../support/a-node-context.ts';
import { anyCharacter } from '../support/any-character.ts';
import { cases } from '../support/deep.ts';

const input = { a: 1 };
const run = (parameters: JsonObject) => runNode(respondToWebhook, 'respondToWebhook', parameters, input);

describe('respondToWebhook', () => {
  test('answers 200 with its input, and passes it on', async () => {
    expect(await run({})).toStrictEqual(
      emit({ main: input, response: { status: 200, headers: {}, body: input } }),
    );
  });

  test('answers with what its parameters say', async () => {
    const response = { status: 404, headers: { 'Content-Type': 'text/csv', 'x-empty': '' }, body: 'a;b' };
    expect(await run(response)).toStrictEqual(emit({ main: input, response }));
  });

  test.each<[JsonValue]>([[null], [''], [0], [false], [[]]])('a body of %j is a body', async (body) => {
    expect(await run({ body })).toMatchObject({ outputs: { response: { body } } });
  });

  test.each([[200], [599]])('%d is a status', async (status) => {
    expect(await run({ status })).toMatchObject({ outputs: { response: { status } } });
  });

  test.each([[199], [600], [200.5], [-1], [4_111_111_111_111_111]])('%d is not one', async (status) => {
    const error: unknown = await run({ status }).catch((error) => error);
    expect(error).toEqual(
      new RangeError('Parameter "status" must be an integer from 200 to 599, got another number'),
    );
  });

  test.each([
    'Connection',
    'content-length',
    'Keep-Alive',
    'proxy-connection',
    'TE',
    'trailer',
    'Transfer-Encoding',
    'upgrade',
  ])('the header %s is reserved', async (name) => {
    await expect(run({ headers: { [name]: 'x' } })).rejects.toThrow(
      `Parameter "headers.${name}" is set by the gateway and can't be chosen`,
    );
  });

  test.each([[''], ['a b'], ['a:'], ['a\r\nb'], ['é'], ['a(b)']])('%j is not a header name', async (name) => {
    await expect(run({ headers: { [name]: 'x' } })).rejects.toThrow('is not a name that HTTP allows');
  });

  test('no value can start another header line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), async (value) => {
        const allowed = [...value].every(
          (character) => character === '\t' || (character >= ' ' && character <= '~'),
        );
        const outcome = await run({ headers: { 'x-a': value } }).then(
          () => 'taken',
          (error: Error) => error.message,
        );
        expect(outcome).toBe(
          allowed ? 'taken' : 'Parameter "headers.x-a" holds a control or non-ASCII character',
        );
      }),
      { numRuns: cases(50, 300) },
    );
  });

  test.each([['a\r\nset-cookie: b'], ['a\nb'], ['a\rb'], ['a\u0000b'], ['\u2028'], ['ü']])(
    'refuses %j',
    async (value) => {
      await expect(run({ headers: { 'x-a': value } })).rejects.toThrow(TypeError);
    },
  );

  describe('redirect', () => {
    test.each([
      ['/thanks', 302],
      ['https://shop.example/thanks?a=1#b', 302],
      ['../thanks', 302],
      ['/%2fshop.example', 302],
      ['/a//b', 302],
      ['?next=//shop.example', 302],
    ])('to %s is status %d with that location, and no body', async (redirect, status) => {
      const response = { status, headers: { location: redirect }, body: null };
      expect(await run({ redirect, body: 'left out' })).toStrictEqual(emit({ main: input, response }));
    });

    test.each([
      ['a b', 'a%20b'],
      ['/grüße/日本?q=ü#é', '/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC?q=%C3%BC#%C3%A9'],
      ['/100%25/\ud800', '/100%25/%EF%BF%BD'],
    ])('to %j is encoded as browsers encode links', async (redirect, location) => {
      expect(await run({ redirect })).toMatchObject({ outputs: { response: { headers: { location } } } });
    });

    test.each([301, 302, 303, 307, 308])('takes the status %d', async (status) => {
      expect(await run({ redirect: '/a', status })).toMatchObject({ outputs: { response: { status } } });
    });

    test.each([201, 300, 304, 404])('refuses the status %d', async (status) => {
      await expect(run({ redirect: '/a', status })).rejects.toThrow(
        'Parameter "status" must be one of 301, 302, 303, 307, 308 with a redirect',
      );
    });

    test.each(['', '/a\r\nset-cookie: b', 'javascript:alert(1)', 'data:text/html,x', 'http://', '\t/a'])(
      'refuses %j',
      async (redirect) => {
        await expect(run({ redirect })).rejects.toThrow('Parameter "redirect" must be an encoded path');
      },
    );
  });

  test.each(['//evil.example', '/\\evil.example', '\\/evil.example', '\\\\evil.example', '///evil.example'])(
    'is not answered with the path %j, which browsers take for another host',
    async (location) => {
      const message = 'begins with two slashes: begin a URL with its scheme';
      await expect(run({ redirect: location })).rejects.toThrow(`Parameter "redirect" ${message}`);
      for (const padded of [
        location,
        ` ${location}`,
        `\t${location}`,
        `${location[0]}\t${location.slice(1)}`,
      ])
        await expect(run({ status: 302, headers: { Location: padded } })).rejects.toThrow(
          `Parameter "headers.Location" ${message}`,
        );
      const { hostname } = new URL(location, 'https://hooks.example');
      expect(hostname).toBe('evil.example');
    },
  );

  describe('cookies', () => {
    const setCookie = async (...cookies: JsonObject[]) => {
      const result = await run({ cookies });
      return (result as { outputs: { response: { setCookie?: readonly string[] } } }).outputs.response
        .setCookie;
    };

    test('are HttpOnly and Secure by default', async () => {
      expect(
        await setCookie(
          { name: 'a', value: '1' },
          { name: 'b', value: '', path: '/x', domain: 'shop.example', maxAgeSeconds: 0, sameSite: 'Strict' },
          { name: 'c', value: 'x', httpOnly: false, secure: false },
          { name: 'd', value: 'x', sameSite: 'None' },
        ),
      ).toEqual([
        'a=1; HttpOnly; Secure; SameSite=Lax',
        'b=; Path=/x; Domain=shop.example; Max-Age=0; HttpOnly; Secure; SameSite=Strict',
        'c=x; SameSite=Lax',
        'd=x; HttpOnly; Secure; SameSite=None',
      ]);
    });

    test.each<[string, JsonObject]>([
      ['name', { name: '', value: 'x' }],
      ['name', { name: 'a=b', value: 'x' }],
      ['value', { name: 'a', value: 'x; Domain=evil.example' }],
      ['value', { name: 'a', value: 'x\r\nset-cookie: b' }],
      ['value', { name: 'a', value: 'ü' }],
      ['value', { name: 'a', value: 'x'.repeat(5_000) }],
      ['path', { name: 'a', value: 'x', path: '/;Domain=evil.example' }],
      ['domain', { name: 'a', value: 'x', domain: 'a\nb' }],
      ['secure', { name: 'a', value: 'x', secure: false, sameSite: 'None' }],
    ])('refuse the %s of %j, without quoting its value', async (field, cookie) => {
      const error: unknown = await run({ cookies: [{ name: 'a', value: 'fine' }, cookie] }).catch(
        (error) => error,
      );
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toContain(`"cookies.1.${field}"`);
      expect((error as Error).message).not.toContain('evil');
    });
  });

  test('a header named __proto__ stays a header', async () => {
    const result = await run({ headers: JSON.parse('{"__proto__":"x"}') });
    const { response } = (result as { outputs: { response: { headers: object } } }).outputs;
    expect(Object.entries(response.headers)).toEqual([['__proto__', 'x']]);
  });
});
