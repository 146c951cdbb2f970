import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { aMultipart, aServiceWithBody, multipartType } from '../../../support/a-body-service.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const aFile = (number: number, name: string, mediaType: string, content: string) => ({
  $file: `execution-1/start/0.${number}`,
  name,
  mediaType,
  size: Buffer.byteLength(content),
  sha256: sha256(content),
});

test('fields are texts, a repeated name is an array, and __proto__ is data', async () => {
  const { send } = await aServiceWithBody();
  const form = aMultipart(['name="a"', '1'], ['name="a"', 'é'], ['name="__proto__"', '2'], ['name="é"', '']);
  const answer = await send(form, multipartType);
  expect(JSON.stringify(bodyOf(answer).body)).toBe('{"a":["1","é"],"__proto__":"2","é":""}');
});

test('files are saved as files of the trigger, in order', async () => {
  const { send } = await aServiceWithBody();
  const png = 'name="f"; filename="../a.png"\r\nContent-Type: image/png';
  const form = aMultipart([png, 'A'], ['name="note"', 'n'], ['name="f"; filename="b"', 'BB']);
  expect(bodyOf(await send(form, multipartType)).body).toEqual({
    f: [aFile(1, 'a.png', 'image/png', 'A'), aFile(2, 'b', 'text/plain', 'BB')],
    note: 'n',
  });
});

test('a body of another type is one file', async () => {
  const { send } = await aServiceWithBody();
  expect(bodyOf(await send('\x89PNG', 'image/png')).body).toEqual(aFile(1, 'body', 'image/png', '\x89PNG'));
});

test('the workflow opens the file', async () => {
  const csv = { type: 'csv', parameters: { operation: 'parse', file: '{{ body.rows }}' } };
  const { send } = await aServiceWithBody({}, { chain: [csv] });
  const form = aMultipart(['name="rows"; filename="a.csv"', 'a,b\n1,2']);
  expect(bodyOf(await send(form, multipartType))).toMatchObject({ items: [{ a: '1', b: '2' }] });
});

describe('nothing is saved', () => {
  const saved = (service: Awaited<ReturnType<typeof aServiceWithBody>>) => service.blobs.keys();

  test('for a refused request', async () => {
    const service = await aServiceWithBody();
    const form = aMultipart(['name="f"; filename="a"', 'A']);
    await service.send(form.slice(0, -8), multipartType);
    expect(saved(service)).toEqual([]);
  });

  test('for a repeated delivery whose execution is known', async () => {
    const service = await aServiceWithBody({}, { webhook: { responseMode: 'onReceived' } });
    const key = { 'idempotency-key': 'k' };
    const first = await service.send('A', 'image/png', key);
    const [file = ''] = saved(service);
    await service.blobs.put(file, Buffer.from('as it was'));
    const second = await service.send('A', 'image/png', key);
    expect(bodyOf(second)).toMatchObject({ executionId: bodyOf(first).executionId, duplicate: true });
    expect(Buffer.from((await service.blobs.get(file)) ?? []).toString()).toBe('as it was');
  });
});

const field = ['name="a"', '1'] as const;
const file = ['name="a"; filename="a"', '1'] as const;

/** Bytes as characters of Latin 1, so that they need not be UTF-8. */
const asBytes = (text: string) => Buffer.from(text, 'latin1');
const REPLACEMENT = Buffer.from('\ufffd').toString('latin1');

type Part = readonly [disposition: string, content: string];

describe('charsets of parts', () => {
  const sendParts = async (...parts: readonly Part[]) =>
    (await aServiceWithBody()).send(asBytes(aMultipart(...parts)), multipartType);

  const bytes = { base64: Buffer.from('\xe9', 'latin1').toString('base64') };
  const plain = (charset: string) => `\r\nContent-Type: text/plain; charset=${charset}`;

  test.each<[string, readonly Part[], unknown]>([
    ['U+FFFD that was sent', [['name="a"', REPLACEMENT]], '\ufffd'],
    ['Latin 1', [[`name="a"${plain('iso-8859-1')}`, '\xe9']], 'é'],
    ['a charset that busboy does not know', [[`name="a"${plain('"shift_jis"')}`, '\x93\xfa']], '日'],
    [
      'the charset of the form',
      [
        ['name="a"', '\x80'],
        ['name="_charset_"', 'windows-1252'],
      ],
      '€',
    ],
    [
      'the charset that SendGrid names for the field',
      [
        ['name="a"', '\x80'],
        ['name="b"', '\xc3\xa9'],
        ['name="charsets"', '{"a":"windows-1252","b":"UTF-8"}'],
      ],
      '€',
    ],
    [
      'the charset of the part, not of the form',
      [
        [`name="a"${plain('utf-8')}`, '\xc3\xa9'],
        ['name="_charset_"', 'windows-1252'],
      ],
      'é',
    ],
    ['a field that is not UTF-8', [['name="a"', '\xe9']], bytes],
    ['a field that says that it is UTF-8', [[`name="a"${plain('utf-8')}`, '\xe9']], bytes],
    ['an unknown charset', [[`name="a"${plain('klingon')}`, 'x']], 'x'],
    ['an unknown charset of bytes', [[`name="a"${plain('klingon')}`, '\xe9']], bytes],
    [
      'charsets that are none',
      [
        ['name="a"', '\xe9'],
        ['name="charsets"', '[1'],
      ],
      bytes,
    ],
    ['a byte order mark', [['name="a"', '\xef\xbb\xbfa']], '\ufeffa'],
  ])('%s is read as such, beside a file of any bytes', async (_case, parts, value) => {
    const answer = await sendParts(...parts, ['name="f"; filename="f"', '\xe9\xff']);
    expect(bodyOf(answer).body).toMatchObject({ a: value, f: { size: 2 } });
  });

  test.each<[string, readonly Part[], string]>([
    ['UTF-8', [['name="\xc3\xa9"; filename="\xc3\xa9"', '1']], 'é'],
    ['no UTF-8', [['name="\xe9"; filename="\xe9"', '1']], 'é'],
    [
      'the charset of the form',
      [
        ['name="\xfa"; filename="\xfa"', '1'],
        ['name="_charset_"', 'koi8-r'],
      ],
      'З',
    ],
  ])('names are read: %s', async (_case, parts, name) => {
    expect(bodyOf(await sendParts(...parts)).body).toMatchObject({ [name]: { name } });
  });

  test('the content type may name the charset of the form', async () => {
    const { send } = await aServiceWithBody();
    const answer = await send(
      asBytes(aMultipart(['name="a"', '\x80'])),
      `${multipartType}; charset=windows-1252`,
    );
    expect(bodyOf(answer).body).toEqual({ a: '€' });
  });
});

test.each(['a/b', '=_Part_1', "'()+_,-./:=?", '"a/b"', 'a/b ;charset=utf-8'])(
  'the boundary %s',
  async (given) => {
    const { send } = await aServiceWithBody();
    const boundary = given.replace(/"| .*/g, '');
    const form = aMultipart(['name="a"', '1'], ['name="b"', '2']).replaceAll('--x', `--${boundary}`);
    expect(bodyOf(await send(form, `multipart/form-data; boundary=${given}`)).body).toEqual({
      a: '1',
      b: '2',
    });
  },
);

test('a file in many pieces is complete', async () => {
  const { send } = await aServiceWithBody();
  const content = 'y\r\n--'.repeat(100_000);
  const form = aMultipart(['name="f"; filename="f"', content], ['name="a"', '1']);
  expect(bodyOf(await send(form, multipartType)).body).toEqual({
    f: aFile(1, 'f', 'text/plain', content),
    a: '1',
  });
});

test.each<[string, string, string, string]>([
  ['no boundary', 'multipart/form-data', aMultipart(field), 'with a boundary'],
  [
    'a boundary that is not used',
    'multipart/form-data; boundary=y',
    aMultipart(field),
    'malformed or truncated',
  ],
  ['no end', multipartType, aMultipart(field).slice(0, -6), 'malformed or truncated'],
  ['an end within a file', multipartType, aMultipart(file).slice(0, -12), 'malformed or truncated'],
  ['an end within headers', multipartType, aMultipart(file).slice(0, 30), 'malformed or truncated'],
  ['headers that are none', multipartType, '--x\r\n\u0001\r\n\r\n1\r\n--x--', 'malformed or truncated'],
  ['a part without a name', multipartType, aMultipart(['filename="a"', '1']), 'no name'],
  ['a long name', multipartType, aMultipart([`name="${'a'.repeat(201)}"`, '1']), 'longer than 200'],
  [
    'a second part without a name',
    multipartType,
    aMultipart(field, ['x="b"', '1'], field),
    'part 2 has no name',
  ],
  ...Object.entries({
    'of another type': 'Content-Disposition: attachment; name="b"',
    'without a type': 'Content-Disposition: name="b"',
    'with a text that does not end': 'Content-Disposition: form-data; name="b',
    'with rubbish behind its end': 'Content-Disposition: form-data; name="b" x',
    'with a name in a charset that is not known': "Content-Disposition: form-data; name*=klingon''b",
    'that is empty': 'Content-Disposition: ',
    'in another header': 'X: 1\r\nX-Content-Disposition: form-data; name="b"',
  }).map(([what, header]): [string, string, string, string] => [
    `a Content-Disposition ${what}`,
    multipartType,
    `preamble\r\n${aMultipart(field, file).slice(0, -7)}--x\r\n${header}\r\n\r\n1\r\n${aMultipart(field)}`,
    'part 3 has no readable Content-Disposition: form-data',
  ]),
  [
    'a part without any',
    multipartType,
    '--x\r\nContent-Type: a/b\r\n\r\n1\r\n--x--',
    'part 1 has no readable Content-',
  ],
  [
    'a boundary with blanks behind it',
    multipartType,
    aMultipart(field).replace('--x', '--x '),
    'part 1 has no readable Content-',
  ],
  [
    'a field with the boundary in it',
    multipartType,
    aMultipart(['name="a"', '1\r\n--xy\r\n2']),
    'part 2 has no readable Content-',
  ],
  [
    'headers that end at a boundary',
    multipartType,
    `--x\r\nContent-Disposition: form-data; name="a"\r\n${aMultipart(field)}`,
    'part',
  ],
  ['too many fields', multipartType, aMultipart(...Array(1_001).fill(field)), 'more than 1000 fields'],
  ['too many files', multipartType, aMultipart(...Array(21).fill(file)), 'more than 20 files'],
])('400: %s', async (_case, contentType, bytes, reason) => {
  const { send } = await aServiceWithBody({ type: 'multipart' });
  const answer = await send(bytes, contentType);
  expect(answer).toEqual(aProblem(400, 'body-invalid'));
  expect(bodyOf(answer).detail).toEqual(expect.stringContaining(reason));
});

test.each([
  ['folded', 'Content-Disposition: form-data;\r\n name="a"', '1'],
  ['after other headers', 'X: Content-Disposition\r\nCONTENT-disposition:form-data ; name=a', '1'],
  [
    'twice, of which the first counts',
    'Content-Disposition: form-data; name="a"\r\nContent-Disposition: x',
    '1',
  ],
])('a Content-Disposition that is %s is read', async (_case, header, content) => {
  const { send } = await aServiceWithBody();
  const form = `preamble\r\n--x\r\n${header}\r\n\r\n${content}\r\n--x--\r\nepilogue`;
  expect(bodyOf(await send(form, 'multipart/form-data; boundary="x"')).body).toEqual({ a: content });
});

test('a file input without a file is no file, whatever the others have', async () => {
  const { send } = await aServiceWithBody();
  const empty = (name: string) => `name="${name}"; filename=""\r\nContent-Type: application/octet-stream`;
  const form = aMultipart(
    ...Array(21).fill([empty('none'), '']),
    ['name="typed"; filename=""\r\nContent-Type: text/plain', ''],
    ['name="a"', '1'],
    [empty('f'), ''],
    ['name="f"; filename="f"', 'F'],
    [empty('unnamed'), 'U'],
    ['name="blob"\r\nContent-Type: application/octet-stream', ''],
  );
  expect(bodyOf(await send(form, multipartType)).body).toEqual({
    a: '1',
    f: aFile(1, 'f', 'text/plain', 'F'),
    unnamed: aFile(2, 'file', 'application/octet-stream', 'U'),
    blob: aFile(3, 'file', 'application/octet-stream', ''),
  });
});

test('empty fields and empty files are kept', async () => {
  const { send } = await aServiceWithBody();
  const form = aMultipart(['name="a"', ''], ['name="f"; filename="f"', ''], ['name="b"', '']);
  expect(bodyOf(await send(form, multipartType)).body).toEqual({
    a: '',
    f: aFile(1, 'f', 'text/plain', ''),
    b: '',
  });
});
