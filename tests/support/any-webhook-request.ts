import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const hostile = [
  '__proto__',
  'constructor',
  'toString',
  '..',
  '.',
  '%2e%2e',
  '%00',
  '\u0000',
  '\\',
  '//',
  '{{7*7}}',
  '<script>',
  "' OR 1=1",
  'a\r\nset-cookie: x=1',
  '😀',
  '\ud800',
];
/** Names and values that are special to some code. */
export const anyHostileText = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: anyCharacter }),
  fc.string(),
);

const contentType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'APPLICATION/JSON;charset=x',
    ' application/json',
    'application/json x',
    'a/b+json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'image/png',
  ),
  anyHostileText,
);

const authorization = fc.oneof(
  fc.constantFrom(
    'Bearer right',
    'Bearer wrong',
    'Basic',
    'Basic cmlnaHQ6cmlnaHQ=',
    'Basic @@@@',
    'Bearer right,Bearer right',
  ),
  anyHostileText,
);

/** Headers of a request; their values can be anything that HTTP does not allow, too. */
export const anyHeaders = fc
  .record(
    {
      'content-type': contentType,
      authorization,
      'x-api-key': fc.oneof(fc.constantFrom('right', 'wrong', '', 'right,right'), anyHostileText),
      'content-encoding': fc.constantFrom('gzip', 'identity', ''),
      'x-forwarded-for': anyHostileText,
    },
    { requiredKeys: [] },
  )
  .chain((known) =>
    fc.dictionary(anyHostileText, anyHostileText, { maxKeys: 3 }).map((more) => ({ ...more, ...known })),
  );

/** The body of an event, text or base64. */
export const anyBody = fc.oneof(
  fc.constant(null),
  fc.json(),
  anyHostileText,
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.nat(150).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.constantFrom(
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '__proto__=1&__proto__[polluted]=1&constructor=1',
    '1e999',
    '{"a":',
    '\ufeff{}',
    'x'.repeat(2_001),
  ),
);
