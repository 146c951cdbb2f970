import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileParameters } from '../../../lib/workflows/expressions/parameters.ts';
import { loadNodeTypes } from '../../../packages/cli/plugins/node-types.ts';
import { aScope } from '../../support/an-expression.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { cases } from '../../support/deep.ts';

const schema = {
  properties: {
    url: { type: 'string', pattern: '^https?://' },
    redirect: { type: 'string', format: 'uri-reference' },
  },
};

/** The URL that a template gives with the fields of an input. */
const resolve = async (url: string, input: JsonObject = {}, name = 'url'): Promise<string> => {
  const resolveIn = compileParameters({ [name]: url }, { schema });
  const resolved = (await resolveIn?.(aScope({ input }))) ?? {};
  return String(resolved[name]);
};

/** Ways in which a value has been written to leave its place in a URL. */
const escapes = [
  '../charges/ch_1?x=',
  '..',
  '.',
  '%2e%2E',
  '.%2e',
  '..%2fcharges',
  '..\\charges',
  'a/../../b',
  '/',
  '\\',
  '?x=1',
  '#',
  '#/../x',
  ';x',
  '@evil.example',
  'u:p@evil.example',
  '//evil.example',
  '.\t.',
  '.\n.',
  '\t..',
  '.. ',
  '..\u0000',
  '%2e%2e%2f',
  '%252e%252e',
  '．．',
  '／evil',
  '‥',
  '\ud800',
  'a b',
  "'()*!",
  '&admin=true',
  '=',
  '+',
  '%',
  '%zz',
  ':80',
];

describe('a value in a URL', () => {
  test.each<[string, JsonValue, string]>([
    ['/orders/{{ id }}', 'A-1', '/orders/A-1'],
    ['/orders/{{ id }}', 7, '/orders/7'],
    ['/orders/{{ id }}/card', '../charges/ch_1?x=', '/orders/..%2Fcharges%2Fch_1%3Fx%3D/card'],
    ['/people/{{ id }}', 'Ann Ö & Co.', '/people/Ann%20%C3%96%20%26%20Co.'],
    [
      '/{{ id }}',
      "~._-!'()*;:@&=+$,/?#[]%\\",
      '/~._-%21%27%28%29%2A%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%5C',
    ],
    ['/{{ id }}', '\ud800', '/%EF%BF%BD'],
    ['/v{{ id }}/a?q={{ id }}&r=1#{{ id }}', 'a&b#c', '/va%26b%23c/a?q=a%26b%23c&r=1#a%26b%23c'],
    ['/a?{{ id }}', 'q=1&r=2', '/a?q%3D1%26r%3D2'],
    ['/a?q={{ id }}', ['x', { y: 1 }], '/a?q=%5B%22x%22%2C%7B%22y%22%3A1%7D%5D'],
    ['/a?q={{ id }}', '../..', '/a?q=..%2F..'],
    ['/a/{{ id }}/b', null, '/a//b'],
    ['/a/../{{ id }}', 'b', '/a/../b'],
  ])('https://api.example%s with %j becomes …%s', async (template, id, expected) => {
    expect(await resolve(`https://api.example${template}`, { id })).toBe(`https://api.example${expected}`);
  });

  test.each(escapes)('%j stays in its segment, or is refused', async (id) => {
    const url = await resolve('https://api.example/customers/{{ id }}/card', { id }).catch(() => null);
    if (url === null) return;
    const { host, username, pathname, search, hash } = new URL(url);
    expect({ host, username, search, hash }).toEqual({
      host: 'api.example',
      username: '',
      search: '',
      hash: '',
    });
    expect(pathname).toMatch(/^\/customers\/[^/]*\/card$/);
    expect(decodeURIComponent(pathname)).toBe(`/customers/${id.toWellFormed()}/card`);
  });

  test.each([
    ['/{{ id }}/card', '..'],
    ['/{{ id }}/card', '.'],
    ['/.{{ id }}/card', '.'],
    ['/{{ id }}{{ id }}/card', '.'],
    ['/%2{{ id }}/card', 'e'],
    ['/%2e{{ id }}/card', '.'],
    ['/a/.{{ id }}.', ''],
    ['/a\\.{{ id }}\\b', '.'],
    ['/a/{{ id }}\t./b', '.'],
    ['/a/{{ id }} ', '..'],
    ['/a/{{ id }}?x=1', '..'],
    ['/a/{{ id }}#x', '..'],
    ['/{{ b }}/../{{ b }}/./{{ b }}{{ b }}/{{ id }}/c', '..'],
    ['/a/{{ $rawUrl(id) }}', '../b'],
    ['/a/{{ $rawUrl(id) }}', 'b/%2E%2e/c'],
    ['/a/{{ $encodeUrl(id) }}', 'b/../../c'],
    ['/a/{{ $encodeUrlComponent(id) }}', '..'],
  ])('is refused if it makes a segment of dots: %s with %j', async (template, id) => {
    await expect(resolve(`https://api.example${template}`, { id })).rejects.toThrow(
      /in the URL "url" makes a segment of dots, which leads to another path$/,
    );
  });

  test('that is refused is not in the message, but its expression is', async () => {
    await expect(resolve('https://api.example/{{ $rawUrl(id) }}', { id: 'secret\\' })).rejects.toThrow(
      '{{ $rawUrl(id) }} in the URL "url" gives a blank, a backslash or a control character, which $rawUrl does not encode',
    );
  });

  test('keeps host, place and meaning, whatever it is', async () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, text, async (id, q) => {
        const url = await resolve('https://api.example/a/{{ id }}/b?q={{ q }}&r=1#f', { id, q }).catch(
          () => null,
        );
        if (url === null) return expect(id).toMatch(/^\.\.?$/);
        const { host, pathname, searchParams, hash } = new URL(url);
        const segments = pathname.split('/').map((segment) => decodeURIComponent(segment));
        expect([host, segments, [...searchParams], hash]).toEqual([
          'api.example',
          ['', 'a', id.toWellFormed(), 'b'],
          [
            ['q', q.toWellFormed()],
            ['r', '1'],
          ],
          '#f',
        ]);
      }),
      { numRuns: cases(200, 5_000) },
    );
  });
});

describe('a value in the host of a URL', () => {
  test.each([
    ['https://{{ a }}.api.example/', 'eu-1', 'eu-1.api.example'],
    ['https://api-{{ a }}.example/', '7', 'api-7.example'],
    ['https://{{ a }}/x', 'api.example:8443', 'api.example:8443'],
    ['https://{{ a }}/x', '[::1]:80', '[::1]:80'],
    ['https://{{ a }}', 'api.example', 'api.example'],
    ['https://api.{{ a }}/x', 'eu.example', 'api.eu.example'],
    ['https://{{ a }}:8443/', 'api.example', 'api.example:8443'],
    ['http://127.0.0.1:{{ a }}/', '8080', '127.0.0.1:8080'],
    ['http{{ $exists(a) ? "s" : "" }}://{{ a }}/', 'api.example', 'api.example'],
  ])('%s can be %j', async (template, a, host) => {
    expect(new URL(await resolve(template, { a })).host).toBe(host);
  });

  const templates = [
    'https://{{ a }}.api.example/x',
    'https://eu{{ a }}.api.example/x',
    'https://api.example{{ a }}/x',
    'https://api.example{{ a }}',
    'https://api.example:{{ a }}/x',
    'https://api.example:80{{ a }}',
  ];
  test.each(templates.flatMap((template) => escapes.map((a) => [template, a] as const)))(
    '%s is refused with %j, or stays at its host',
    async (template, a) => {
      const url = await resolve(template, { a }).catch(() => null);
      if (url !== null) expect(new URL(url).hostname).toMatch(/^(?:[\w-]*\.)?(?:eu[\w-]*\.)?api\.example$/);
    },
  );

  test.each([
    ['https://api.example{{ a }}', '.evil.example'],
    ['https://api.example{{ a }}', 'evil'],
    ['https://api.example{{ a }}', '/path'],
    ['https://{{ a }}.api.example/', 'evil.example/'],
    ['https://{{ a }}/', 'user@evil.example'],
    ['https://{{ a }}/', '/evil.example'],
    ['https://{{ $rawUrl(a) }}.api.example/', '/evil.example'],
    ['https://{{ $rawUrl(a) }}/', '/evil.example'],
    ['https://{{ $encodeUrl(a) }}.api.example/', 'evil.example/'],
  ])('%s refuses %j', async (template, a) => {
    await expect(resolve(template, { a })).rejects.toThrow(
      /in the URL "url" gives what its host must not contain/,
    );
  });

  test('is refused in the port unless it is digits', async () => {
    await expect(resolve('https://api.example:{{ a }}/', { a: '80@evil.example' })).rejects.toThrow(
      '{{ a }} in the URL "url" must give digits in its port',
    );
  });

  test('is bounded, however many expressions it has', async () => {
    await expect(resolve(`https://${'{{ a }}'.repeat(20_000)}/`, { a: 'aaaaaaaaaa' })).rejects.toThrow(
      'The host of the URL "url" is too long',
    );
  });
});

describe('a value at the start of a URL', () => {
  test.each([
    ['{{ base }}/orders/{{ id }}', 'https://api.example/v1', 'https://api.example/v1/orders/a%2Fb'],
    ['{{ base }}{{ id }}', 'https://api.example/v1/', 'https://api.example/v1/a%2Fb'],
    ['{{ base }}/x?q={{ id }}', 'https://api.example/../v1', 'https://api.example/../v1/x?q=a%2Fb'],
    ['{{ base }}&q={{ id }}', 'https://api.example/?k=1', 'https://api.example/?k=1&q=a%2Fb'],
    ['{{ base }}', 'https://api.example/a b?c', 'https://api.example/a b?c'],
    ['{{ base }}://api.example/{{ id }}', 'https', 'https://api.example/a%2Fb'],
  ])('%s is taken as written: %j', async (template, base, expected) => {
    expect(await resolve(template, { base, id: 'a/b' })).toBe(expected);
  });

  test.each([
    'ftp://api.example',
    'javascript:alert(1)//',
    '/etc',
    'api.example',
    'https:evil',
    '//evil.example',
  ])('must be a URL of http or https, not %j', async (base) => {
    await expect(resolve('{{ base }}/orders', { base })).rejects.toThrow(
      '{{ base }} in the URL "url" is at its start, so it must give a URL that begins with http:// or https://',
    );
  });

  test('does not let the next one change its host', async () => {
    await expect(
      resolve('{{ base }}{{ path }}', { base: 'https://api.example', path: '.evil.example/x' }),
    ).rejects.toThrow('{{ path }} in the URL "url" gives what its host must not contain');
  });
});

describe('a value that is encoded already', () => {
  test.each<[string, JsonObject, string]>([
    ['/{{ $encodeUrlComponent(a) }}', { a: 'a b/c' }, '/a%20b%2Fc'],
    ['/{{ a ~> $encodeUrlComponent }}', { a: 'a b/c' }, '/a%20b%2Fc'],
    ['/{{ a ~> $encodeUrlComponent() }}', { a: 'a b/c' }, '/a%20b%2Fc'],
    ['/{{ ($x := a; $encodeUrlComponent($x)) }}', { a: '50%' }, '/50%25'],
    ['/{{ $exists(a) ? $encodeUrlComponent(a) : "" }}', { a: 'a b' }, '/a%20b'],
    ['/?q={{ $encodeUrlComponent(a) }}', { a: 'a&b=c' }, '/?q=a%26b%3Dc'],
    ['/?q={{ $encodeUrl(a) }}', { a: 'a b' }, '/?q=a%20b'],
    ['/{{ $encodeUrl(a) }}', { a: 'a b/c@d' }, '/a%20b/c@d'],
    ['/{{ $encodeUrlComponent(a) & "" }}', { a: 'a b' }, '/a%2520b'],
  ])('%s is not encoded again', async (template, input, expected) => {
    expect(await resolve(`https://api.example${template}`, input)).toBe(`https://api.example${expected}`);
  });

  test.each([
    ['/a/{{ $encodeUrl(a) }}/b', 'x?y'],
    ['/a/{{ $encodeUrl(a) }}/b', 'x#y'],
    ['/a?x={{ $encodeUrl(a) }}&b=1', 'x#y'],
  ])('by $encodeUrl is refused if it ends its part of the URL: %s with %j', async (template, a) => {
    await expect(resolve(`https://api.example${template}`, { a })).rejects.toThrow(
      '{{ $encodeUrl(a) }} in the URL "url" gives "?" or "#", which $encodeUrl does not encode: leave it out, or write $rawUrl(…)',
    );
  });

  test.each<[string, JsonValue, string]>([
    ['/{{ $rawUrl(a) }}', 'a/b%20c?d=1&e=2#f', '/a/b%20c?d=1&e=2#f'],
    ['{{ $rawUrl(a) }}', '/a/b', '/a/b'],
    ['{{ $rawUrl(a) }}', '?q=1', '?q=1'],
    ['/a?{{ $rawUrl(a) }}', 'q=1&r=2', '/a?q=1&r=2'],
    ['/a?{{ a ~> $rawUrl }}', 'q=1&r=2', '/a?q=1&r=2'],
    ['/a/{{ $rawUrl($join(a.$encodeUrlComponent($), "/")) }}', ['x y', 'z/'], '/a/x%20y/z%2F'],
    ['/a/{{ $rawUrl(a) & "?" }}', 'b/c', '/a/b%2Fc%3F'],
  ])('%s keeps what $rawUrl is given: %j', async (template, a, expected) => {
    expect(await resolve(`https://api.example${template}`, { a })).toBe(`https://api.example${expected}`);
  });
});

describe('an expression that gives nothing in a URL of format 2', () => {
  const strictly = async (parameters: JsonObject) =>
    compileParameters(parameters, { schema, format: 2 })?.(aScope({ input: { none: null } }));

  test.each([
    [
      'https://api.example/{{ a.b }}',
      '{{ a.b }} in the URL "url" gives nothing: write {{ a.b ?? \'\' }} if it may be empty',
    ],
    ['https://api.example/?q={{ a + 1 }}', "gives nothing: write {{ (a + 1) ?? '' }} if it may be empty"],
    ['https://{{ none }}/', "gives null: write {{ none ?: '' }} if it may be empty"],
    ['{{ base }}/orders', "gives nothing: write {{ base ?? '' }} if it may be empty"],
    [
      'https://api.example/{{ $rawUrl(a) }}',
      "gives nothing: write {{ ($rawUrl(a)) ?? '' }} if it may be empty",
    ],
    ['{{ a }}', 'Parameter "url" is required, but {{ a }} has no result'],
  ])('is an error: %s', async (url, message) => {
    await expect(strictly({ url })).rejects.toThrow(message);
  });

  test('is none if an empty value is written, or elsewhere', async () => {
    expect(
      await strictly({
        url: "https://api.example/{{ a ?? '' }}{{ none ?: '' }}",
        text: '<{{ a }}>',
        b: '{{ a }}',
      }),
    ).toEqual({ url: 'https://api.example/', text: '<>' });
  });
});

describe('a redirect', () => {
  test.each([
    ['/thanks?order={{ id }}', '/thanks?order=a%2Fb%3Fc'],
    ['/{{ id }}', '/a%2Fb%3Fc'],
    ['../{{ id }}', '../a%2Fb%3Fc'],
    ['https://shop.example/{{ id }}', 'https://shop.example/a%2Fb%3Fc'],
    ['{{ to }}?order={{ id }}', '/done?order=a%2Fb%3Fc'],
  ])('to %s encodes its values', async (template, expected) => {
    expect(await resolve(template, { id: 'a/b?c', to: '/done' }, 'redirect')).toBe(expected);
  });

  test('does not lead to another host', async () => {
    await expect(
      resolve('https://shop.example{{ id }}', { id: '.evil.example' }, 'redirect'),
    ).rejects.toThrow('{{ id }} in the URL "redirect" gives what its host must not contain');
  });
});

test('each node type that calls a URL from its parameters declares it as one', async () => {
  const findNodeType = await loadNodeTypes();
  const template = 'https://api.example/{{ id }}';
  for (const [type, name] of [
    ...['httpRequest', 'graphql', 'rss', 'pollTrigger', 'rssTrigger'].map((each) => [each, 'url'] as const),
    ...['llm', 'slackMessage', 'githubGetFile'].map((each) => [each, 'baseUrl'] as const),
    ['respondToWebhook', 'redirect'] as const,
  ]) {
    const resolveIn = compileParameters({ [name]: template }, { schema: findNodeType(type)?.schema ?? {} });
    expect([type, await resolveIn?.(aScope({ input: { id: 'a/b' } }))]).toEqual([
      type,
      { [name]: 'https://api.example/a%2Fb' },
    ]);
  }
});

test('a long URL is refused before its values are encoded', async () => {
  await expect(resolve('https://api.example/{{ a }}', { a: 'ö'.repeat(100_000) })).rejects.toThrow(
    '{{ a }} in the URL "url" makes it longer than 100000 characters',
  );
});
