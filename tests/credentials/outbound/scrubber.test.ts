import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createScrubber } from '../../../lib/credentials/outbound/scrubber.ts';
import { cases } from '../../support/deep.ts';
import { formsOf } from '../../support/secret-forms.ts';

const SECRET = 'p4ss/w+rd "ünd" &=?~\n\\end';

const hexOf = (text: string) => Buffer.from(text).toString('hex');
/** Each has a decoder of its own, or a branch of one. */
const encoders: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'JSON without < > &': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[<>&"ü]/g, (unit) =>
        unit === '"' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  'JSON, all escaped, upper case': (text) =>
    text.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  'HTML, named': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;')
      .replaceAll('/', '&sol;')
      .replaceAll('ü', '&uuml;'),
  'HTML, decimal': (text) => text.replaceAll(/./gs, (unit) => `&#${unit.charCodeAt(0)};`),
  'HTML, hexadecimal': (text) => text.replaceAll(/\W/g, (unit) => `&#x${unit.charCodeAt(0).toString(16)};`),
  URL: encodeURIComponent,
  'URL, lower case': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (escaped) => escaped.toLowerCase()),
  'URL, all escaped': (text) => hexOf(text).replaceAll(/../g, '%$&'),
  form: (text) => new URLSearchParams({ '': text }).toString().slice(1),
  hexadecimal: hexOf,
  'hexadecimal, upper case': (text) => hexOf(text).toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64, after a byte': (text) => Buffer.from(`x${text}`).toString('base64'),
  'base64url, after two bytes': (text) => Buffer.from(`xx${text}`).toString('base64url'),
};

const aScrubber = (...secrets: string[]) => {
  const scrubber = createScrubber();
  for (const secret of secrets) scrubber.learn(secret);
  return scrubber;
};

describe('a secret is removed', () => {
  // holds: secrets-found-encoded
  test.each(Object.entries(formsOf(SECRET)))('%s', (_form, text) => {
    const scrubbed = aScrubber(SECRET).scrub(`before ${text} after`);
    expect(scrubbed).toContain('[redacted]');
    expect(scrubbed).toMatch(/^before .* after$/);
    // Of base64, what the bytes around it decide may stay: two characters at each end.
    expect(scrubbed.length).toBeLessThanOrEqual('before [redacted] after'.length + 8);
  });

  test('from texts, keys, lists and numbers, at any depth', () => {
    const scrubber = aScrubber('secret-1', '12345678');
    expect(
      scrubber.scrub({ a: ['x secret-1 y', { 'key-secret-1': 12345678, other: 1234 }], b: null, c: true }),
    ).toEqual({ a: ['x [redacted] y', { 'key-[redacted]': '[redacted]', other: 1234 }], b: null, c: true });
  });

  test('from a key whose value has none, and from a text that is nothing else', () => {
    expect(aScrubber('secret').scrub({ 'key-secret': 1, a: 'secret' })).toEqual({
      'key-[redacted]': 1,
      a: '[redacted]',
    });
    expect(aScrubber('secret').scrub({ 'key-secret': 1 })).toEqual({ 'key-[redacted]': 1 });
  });

  test('each time, also from frozen data and from data that has changed', () => {
    const { scrub } = aScrubber('secret-1');
    const frozen = Object.freeze({ a: 'the secret-1' });
    const changing = { a: 'nothing' };
    expect([scrub(frozen), scrub(frozen)]).toEqual([{ a: 'the [redacted]' }, { a: 'the [redacted]' }]);
    expect(scrub(changing)).toBe(changing);
    changing.a = 'the secret-1';
    expect(scrub(changing)).toEqual({ a: 'the [redacted]' });
  });

  test('in one encoding before another', () => {
    const encoded = Buffer.from('secret-1').toString('base64');
    expect(aScrubber('secret-1').scrub(`a ${encoded} b secret-1 c`)).toMatch(
      /^a \[redacted\].? b \[redacted\] c$/,
    );
  });

  test('when it is part of a longer known secret', () => {
    expect(aScrubber('secret', 'secret-and-more').scrub('a secret-and-more b secret c')).toBe(
      'a [redacted] b [redacted] c',
    );
  });

  test('line by line, when it has long lines', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    expect(aScrubber(`-----BEGIN-----\n${line}\n-----END-----`).scrub(`first: ${line}`)).toBe(
      'first: [redacted]',
    );
  });

  test.each(Object.entries(encoders))('in each layer of encodings: %s', (_name, encode) => {
    for (const other of Object.values(encoders)) {
      const text = `before ${encode(other(SECRET))} after`;
      const scrubbed = aScrubber(SECRET).scrub(text);
      expect(scrubbed).toMatch(/^before .{0,18}\[redacted\].{0,18} after$/);
    }
  });

  test.each([
    ['UTF-8 read as Latin-1', Buffer.from(SECRET).toString('latin1')],
    ['UTF-8 read as Latin-1, twice', Buffer.from(Buffer.from(SECRET).toString('latin1')).toString('latin1')],
    [
      'UTF-8 read as Windows-1252',
      new TextDecoder('windows-1252').decode(Buffer.from('pässwörd €ü“x')),
      'pässwörd €ü“x',
    ],
    ['Latin-1 read as UTF-8', Buffer.from(SECRET, 'latin1').toString()],
    ['what ASCII cannot have as a question mark', SECRET.replaceAll(/[^\0-\x7f]/g, '?')],
    ['Latin-1, percent-encoded', escape(SECRET)],
    ['Latin-1, base64', Buffer.from(SECRET, 'latin1').toString('base64')],
  ])('whose bytes were misread: %s', (_how, text, secret = SECRET) => {
    expect(aScrubber(secret).scrub(`before ${text} after`)).toMatch(
      /^before .{0,2}\[redacted\].{0,4} after$/,
    );
  });

  test('in base64 that lines break, and in a long run of it', () => {
    const [before, after] = cases([49_140, 5_000], [200_000, 200_000]); // digits are decoded by 65,536
    const long = Buffer.from(`${'x'.repeat(before)}${SECRET}${'y'.repeat(after)}`).toString('base64');
    for (const text of [long, long.replaceAll(/.{76}/g, '$&\r\n')]) {
      const scrubbed = aScrubber(SECRET).scrub(text);
      const [start = '', end = ''] = scrubbed.split('[redacted]');
      expect(start.length + end.length).toBeGreaterThan(text.length - 60);
      expect(text.startsWith(start) && text.endsWith(end)).toBe(true);
    }
  });

  test('that is long, with each character encoded', () => {
    const secret = 'k+/%\\'.repeat(cases(1_000, 4_000));
    const text = [...secret].map((unit) => `%${unit.charCodeAt(0).toString(16)}`).join('');
    expect(aScrubber(secret).scrub(`a ${text} b`)).toBe('a [redacted] b');
  });

  // holds: secrets-found-encoded
  test('after any chain of encodings (any secret), and nothing else is removed', () => {
    const chain = fc.array(fc.constantFrom(...Object.keys(encoders)), { maxLength: 2 });
    const secret = fc
      .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
      .filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(secret, chain, fc.string(), fc.string(), (secret, names, before, after) => {
        const encoded = names.reduce((text, name) => encoders[name]?.(text) ?? text, secret);
        const scrubbed = aScrubber(secret).scrub(`${before} ${encoded} ${after}`);
        expect(scrubbed).toContain('[redacted]');
        expect(scrubbed.includes(encoded)).toBe(false);
        const other = `Q${'q'.repeat(4)}${secret.length}zZ-not-in-text`;
        expect(aScrubber(other).scrub(`${before} ${encoded} ${after}`)).toBe(`${before} ${encoded} ${after}`);
      }),
    );
  });

  // The square of these would take hours.
  test.each(['\\', '%25', '&amp;', '&', '+', '\\u005c', 'QUFB', '41', 'p4ss/w+rd'])(
    'from much of %s in linear time',
    (piece) => {
      const text = piece.repeat(cases(20_000, 200_000) / piece.length);
      expect(aScrubber(SECRET, '\\\\\\\\\\\\').scrub(text).length).toBeGreaterThan(0);
    },
  );

  // holds: secrets-found-encoded
  test('wherever it is, in any encoding (any secret)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 6, maxLength: 60 }),
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 2 }),
        (secret, before, after, offset) => {
          const { scrub } = aScrubber(secret);
          expect(scrub(`${before}${secret}${after}`).includes(secret)).toBe(false);
          const prefix = 'x'.repeat(offset);
          const encoded = Buffer.from(`${prefix}${secret}zz`).toString('base64');
          expect(scrub(encoded)).not.toBe(encoded);
        },
      ),
    );
  });
});

describe('a value without secrets', () => {
  test('may have a secret of five characters, or a line of one with 23', () => {
    const [short, long] = ['l'.repeat(23), 'm'.repeat(24)];
    const { scrub } = aScrubber('abcde', 'fghijk', `${short}\n${long}`);
    expect(scrub(`abcde fghijk ${short} ${long}`)).toBe(`abcde [redacted] ${short} [redacted]`);
  });

  test('is returned as the same object', () => {
    const value = Object.freeze({ a: Object.freeze(['b', 1, null]) });
    expect(aScrubber('secret-1').scrub(value)).toBe(value);
  });

  test('is searched again when another secret becomes known', () => {
    const scrubber = aScrubber('secret-1');
    const value = Object.freeze({ a: 'the secret-2' });
    expect(scrubber.scrub(value)).toBe(value);
    scrubber.learn('secret-2');
    expect(scrubber.scrub(value)).toEqual({ a: 'the [redacted]' });
  });
});

test('derived secrets are kept up to a limit, those of credentials always', () => {
  const scrubber = aScrubber('credential');
  for (let count = 0; count <= 100; count++) scrubber.learnDerived(`derived-${count}-`);
  expect(scrubber.scrub('credential derived-0- derived-1- derived-100-')).toBe(
    '[redacted] derived-0- [redacted] [redacted]',
  );
});

test('a secret that is known already takes the place of no derived one', () => {
  const scrubber = aScrubber('credential');
  for (let count = 0; count < 100; count++) scrubber.learnDerived(`derived-${count}-`);
  scrubber.learnDerived('credential');
  scrubber.learnDerived('derived-0-');
  expect(scrubber.scrub('derived-0- derived-1-')).toBe('[redacted] [redacted]');
});

describe('a part of a secret is removed', () => {
  const slack = 'https://hooks.slack.com/services/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';
  test.each<[string, string, readonly string[]]>([
    ['the path of a URL', 'http://h.example/hooks/PATHSECRET', ['/hooks/PATHSECRET', 'PATHSECRET']],
    ['each segment that is no word', slack, ['T0123ABCD', 'B0456EFGH', 'q8ZJ4Xk2Lm0pQr7sTu9vWx1y']],
    ['a segment as it is and decoded', 'https://h.example/a%2Fb%3D1234c', ['a%2Fb%3D1234c', 'a/b=1234c']],
    ['a value of the query', 'https://h.example/x?code=abc12345&sig=z9z9z9', ['abc12345', 'z9z9z9']],
    ['the password of a URL', 'postgres://ann:hunter@db.example/shop', ['hunter']],
    [
      'the user and an encoded password',
      'amqp://k3yuser99:p%40ss12@mq.example/',
      ['k3yuser99', 'p@ss12', 'p%40ss12'],
    ],
    ['a token after its scheme', 'Bearer abc123xyz', ['abc123xyz']],
    ['a value of a connection string', 'Server=db;User Id=sa;Password=letmein;', ['letmein']],
    ['a value of JSON', '{"type":"service_account","private_key":"abcdef"}', ['abcdef']],
  ])('%s', (_case, secret, parts) => {
    const scrubber = aScrubber(secret);
    for (const part of parts) {
      expect(scrubber.scrub(`Cannot POST ${part}!`)).toBe('Cannot POST [redacted]!');
      expect(scrubber.scrub(Buffer.from(part).toString('hex'))).toBe('[redacted]');
    }
  });

  test.each([
    [slack, 'services of hooks.slack.com'],
    ['https://api.telegram.org/bot123456:ABC-DEF1234ghIkl/sendMessage?mode=markdown', 'sendMessage markdown'],
    ['postgres://ann:hunter@db.example/shop', 'ann of db.example: shop'],
    ['Server=database;User Id=sa;Password=letmein;', 'database of the Server'],
    ['https://h.example/', '/ of https://h.example'],
  ])('but no word and no host of %s', (secret, text) => {
    expect(aScrubber(secret).scrub(text)).toBe(text);
  });
});
