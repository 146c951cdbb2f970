import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { aServiceWithBody } from '../../../support/a-body-service.ts';
import { aProblem, bodyOf } from '../../../support/a-problem.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('by the content type', () => {
  test.each<[string, string, string | Uint8Array, unknown]>([
    ['JSON', 'application/json', '{"a":1}', { a: 1 }],
    ['JSON in another charset', 'application/json; charset=iso-8859-1', latin1('["é"]'), ['é']],
    ['JSON lines', 'application/x-ndjson', '{"a":1}\r\n\n[2]\n"ü"', [{ a: 1 }, [2], 'ü']],
    ['JSON lines by another name', 'Application/JSONL', '1\n2\n', [1, 2]],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'a=1&a=2&__proto__=3',
      JSON.parse('{"a":["1","2"],"__proto__":"3"}'),
    ],
    ['XML', 'text/xml', '<a b="1"><c>x</c><c/></a>', { a: { '@b': '1', c: ['x', ''] } }],
    [
      'XML with a suffix',
      'application/atom+xml',
      '<__proto__>x</__proto__>',
      JSON.parse('{"__proto__":"x"}'),
    ],
    [
      'XML with a declared charset',
      'application/xml',
      latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'),
      { a: 'é' },
    ],
    [
      'XML in UTF-16',
      'application/xml',
      utf16('<?xml version="1.0" encoding="UTF-16"?><a>é</a>'),
      { a: 'é' },
    ],
    [
      'XML whose content type is right',
      'text/xml; charset=utf-8',
      '<?xml version="1.0" encoding="latin1"?><a>é</a>',
      { a: 'é' },
    ],
    [
      'XML in UTF-8 that says that it is UTF-16',
      'application/xml',
      '<?xml version="1.0" encoding="utf-16"?><a>é</a>',
      { a: 'é' },
    ],
    [
      'XML in UTF-8 whose content type says UTF-16',
      'application/xml; charset=utf-16',
      '<?xml version="1.0" encoding="utf-16"?><a>é</a>',
      { a: 'é' },
    ],
    [
      'XML in UTF-16 without a mark',
      'application/xml',
      Buffer.from('<?xml version="1.0" encoding="UTF-16"?><a>é</a>', 'utf16le'),
      { a: 'é' },
    ],
    ['text', 'text/plain', 'é', 'é'],
    ['a content type that was sent twice', 'text/plain;charset=utf-8,text/plain;charset=utf-8', 'é', 'é'],
    ['text in another charset', 'text/csv; charset="windows-1252"', Buffer.from([0x80]), '€'],
    ['JSON without a type', '', '{"a":1}', { a: 1 }],
    ['text without a type', '', '{', '{'],
    ['nothing', 'text/xml', '', {}],
  ])('%s', async (_case, contentType, bytes, body) => {
    const { send } = await aServiceWithBody();
    const answer = await send(bytes, contentType);
    expect(JSON.stringify(bodyOf(answer).body)).toBe(JSON.stringify(body));
  });

  test('a compressed body is parsed by its type', async () => {
    const { send } = await aServiceWithBody();
    const answer = await send(gzipSync('<a>1</a>'), 'text/xml', { 'content-encoding': 'gzip' });
    expect(bodyOf(answer).body).toEqual({ a: '1' });
  });
});

test.each([
  ['json', '{"a":1}', { a: 1 }],
  ['ndjson', '{"a":1}', [{ a: 1 }]],
  ['form', 'a=1', { a: '1' }],
  ['xml', '<a>1</a>', { a: '1' }],
  ['text', '{"a":1}', '{"a":1}'],
])('the type %s, whatever the content type is', async (type, bytes, body) => {
  const { send } = await aServiceWithBody({ type });
  expect(bodyOf(await send(bytes, 'image/png')).body).toEqual(body);
});

test.each<[string, string, string | Uint8Array, string]>([
  ['JSON lines with a broken one', 'application/x-ndjson', '1\n\n{"a"', 'in line 3, it is not valid JSON'],
  [
    'JSON lines with a key of prototypes',
    'application/x-ndjson',
    '{"__proto__":1}',
    'in line 1, it contains a key',
  ],
  [
    'too many lists in JSON lines',
    'application/x-ndjson',
    `[${'[],'.repeat(500_000)}1]\n`,
    'arrays and objects',
  ],
  ['too many lists', 'application/json', `[${'[],'.repeat(500_000)}1]`, 'more than 500000 arrays'],
  ['too many fields', 'application/x-www-form-urlencoded', 'a&'.repeat(50_001), 'more than 50000 fields'],
  ['too many control characters', 'text/plain', '\0'.repeat(500_001), 'more than 500000 control'],
  ['too many JSON lines', 'application/x-ndjson', '\n'.repeat(50_001), 'more than 50000 lines'],
  [
    'XML with a document type',
    'text/xml',
    '<a>\n<!DOCTYPE a [<!ENTITY b "b">]></a>',
    'it has a document type',
  ],
  [
    'an entity that XML does not define',
    'text/xml',
    '<a>\n&x;</a>',
    'an "&" that does not begin an entity: line 2',
  ],
  ['an entity of HTML', 'text/xml', '<a b="&nbsp;"/>', 'an "&" that does not begin an entity: line 1'],
  ['an entity without its end', 'text/xml', '<a>&amp b</a>', 'an "&" that does not begin an entity: line 1'],
  ['an ampersand', 'text/xml', '<a b="1&2"/>', 'an "&" that does not begin an entity: line 1'],
  ['XML that is cut off', 'text/xml', '<a>\n<b', 'it ends within'],
  ['text that is not UTF-8', 'text/plain', latin1('é'), 'it is not UTF-8'],
  [
    'text that is not of its charset',
    'text/plain; charset=shift_jis',
    Buffer.from([0x81]),
    'it is not SHIFT_JIS',
  ],
])('400: %s', async (_case, contentType, bytes, reason) => {
  const { send } = await aServiceWithBody();
  const answer = await send(bytes, contentType);
  expect(answer).toEqual(aProblem(400, 'body-invalid'));
  expect(bodyOf(answer).detail).toEqual(expect.stringContaining(reason));
});

describe('nesting is limited for XML as for JSON', () => {
  const nested = (levels: number, leaf: string) => `${'<a>'.repeat(levels)}${leaf}${'</a>'.repeat(levels)}`;
  const inLists = (levels: number) => `<a>${'<b/><b>'.repeat(levels)}1${'</b>'.repeat(levels)}</a>`;

  test.each([
    ['elements', nested(100, '1'), nested(101, '1')],
    ['elements, the last one with an attribute', nested(98, '<a b="1"/>'), nested(99, '<a b="1"/>')],
    ['lists', inLists(49), inLists(50)],
  ])('%s', async (_case, taken, refused) => {
    const { send } = await aServiceWithBody();
    const answer = await send(taken, 'text/xml');
    expect(answer.statusCode).toBe(200);
    const json = JSON.stringify(bodyOf(answer).body);
    expect((await send(json, 'application/json')).statusCode).toBe(200);
    const refusal = await send(refused, 'text/xml');
    expect(refusal).toEqual(aProblem(400, 'body-too-deep'));
    expect(bodyOf(refusal).detail).toContain('100 levels');
  });
});

test('400 with the allowed levels: a line that is nested too deeply', async () => {
  const { send } = await aServiceWithBody();
  expect(await send('['.repeat(101), 'application/jsonl')).toEqual(aProblem(400, 'body-too-deep'));
});

test.each(['klingon', '../../etc', 'x'.repeat(5_000)])('415: the charset %.20s', async (charset) => {
  const { send } = await aServiceWithBody();
  const answer = await send('x', `text/plain; charset="${charset}"`);
  expect(answer).toEqual(aProblem(415, 'body-unsupported'));
});

describe('raw', () => {
  test.each<[string, string | Uint8Array, unknown]>([
    ['text with its byte order mark and spaces', '\ufeff{ "a": 1 }\n', '\ufeff{ "a": 1 }\n'],
    ['nothing', '', ''],
    ['bytes', latin1('é'), { base64: '6Q==' }],
  ])('%s', async (_case, bytes, rawBody) => {
    const { send } = await aServiceWithBody({ raw: true });
    expect(bodyOf(await send(bytes, 'image/png')).rawBody).toEqual(rawBody);
  });

  test('has the received body, not the decoded one', async () => {
    const { send } = await aServiceWithBody({ type: 'json', raw: true });
    const bytes = gzipSync('{"a":1}');
    const answer = bodyOf(await send(bytes, '', { 'content-encoding': 'gzip' }));
    expect(answer).toMatchObject({ body: { a: 1 }, rawBody: { base64: bytes.toString('base64') } });
  });

  test('has control characters, which are longer in JSON than base64', async () => {
    const { send } = await aServiceWithBody({ type: 'file', raw: true });
    const answer = await send(Buffer.alloc(500_001), 'image/png');
    expect(bodyOf(answer).rawBody).toEqual({ base64: Buffer.alloc(500_001).toString('base64') });
  });

  test.each([
    ['as received', 'A'.repeat(3 * 1024 * 1024 + 1), {}],
    ['inflated', gzipSync('A'.repeat(3 * 1024 * 1024 + 1)), { 'content-encoding': 'gzip' }],
  ])('413: more than 3 MB %s', async (_case, bytes, headers) => {
    const { send } = await aServiceWithBody({ raw: true });
    expect(await send(bytes, 'text/plain', headers)).toEqual(aProblem(413, 'body-too-large'));
  });

  test('is in no log, and absent without the feature', async () => {
    const { send, lines } = await aServiceWithBody({ raw: true });
    await send('{"a":"planted"}');
    expect(lines.join()).not.toContain('planted');
    const without = await aServiceWithBody();
    expect(bodyOf(await without.send('{}'))).not.toHaveProperty('rawBody');
  });
});
