import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { cases } from '../../../support/deep.ts';
import { aMultipart, aServiceWithBody, multipartType } from './bodies.ts';

/** Bytes of the largest bodies: 6 MB in all tests, where the storing takes most of the time. */
const LARGEST = cases(240_000, 6_000_000);
/** Of a text that is cut off, every n-th length. */
const CUT_STEP = cases(7, 1);
const types = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  form: 'application/x-www-form-urlencoded',
  multipart: multipartType,
  xml: 'text/xml',
  text: 'text/plain',
  file: 'image/png',
};

const entities = Array.from({ length: 10 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
const bomb = `<!DOCTYPE a [<!ENTITY e0 "lol">${entities.join('')}]><a>&e10;</a>`;
const manyFields = Array.from({ length: 10_000 }, (_, at) => `a${at}`);
const valid = aMultipart(['name="a"', '1'], ['name="f"; filename="f"', '2']);

const repeated = (character: string) =>
  Object.values(types).map(
    (type) => [`many ${JSON.stringify(character)}`, type, character.repeat(LARGEST)] as const,
  );
const cuts = (text: string, type: string) =>
  Array.from({ length: Math.ceil(text.length / CUT_STEP) }, (_, n) => {
    const at = n * CUT_STEP;
    return [`cut off at ${at}`, type, text.slice(0, at)] as const;
  });

const bodies: readonly (readonly [string, string, string])[] = [
  ...['a', '[', '<', '\n', '&', '-', '\u0000'].flatMap(repeated),
  ...Object.values(types).map((type) => ['100 kB of brackets', type, '['.repeat(100_000)] as const),
  ['100 kB of brackets, closed', types.json, `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['many short lines', types.ndjson, '1\n'.repeat(LARGEST / 2)],
  ['an XML bomb', types.xml, bomb],
  ['many elements', types.xml, `<a>${'<b/>'.repeat(LARGEST / 4 - 10)}</a>`],
  ['deep elements', types.xml, '<a>'.repeat(LARGEST / 3)],
  ['many attributes', types.xml, `<a ${manyFields.map((name) => `${name}="1"`).join(' ')}/>`],
  ['many entities', types.xml, `<a>${'&lt;'.repeat(LARGEST / 4 - 10)}</a>`],
  ['many fields of a form', types.form, manyFields.join('&')],
  ['many fields', multipartType, aMultipart(...manyFields.map((name) => [`name="${name}"`, '1'] as const))],
  [
    'many files',
    multipartType,
    aMultipart(...manyFields.map((name) => [`name="a"; filename="${name}"`, '1'] as const)),
  ],
  ['many boundaries', multipartType, '--x\r\n\r\n'.repeat(LARGEST / 8)],
  ['parts that are nearly one', multipartType, `--x\r\n${'\r\n--'.repeat(LARGEST / 8)}`],
  ['long headers', multipartType, `--x\r\nContent-Disposition: form-data; name="${'a'.repeat(LARGEST / 2)}`],
  ['many headers', multipartType, `--x\r\n${'a: b\r\n'.repeat(LARGEST / 8)}`],
  ['a broken boundary', 'multipart/form-data; boundary="', valid],
  ['a long boundary', `multipart/form-data; boundary=${'x'.repeat(5_000)}`, valid],
  ...cuts(valid, multipartType),
  ...cuts('<a b="1"><!-- c --><![CDATA[d]]>&lt;</a>', types.xml),
  ...cuts('{"a":[1]}\n{"b":"\\u00e9"}', types.ndjson),
];

test('bodies that are hostile are parsed, or are a 4xx', async () => {
  const { send } = await aServiceWithBody({ raw: true }, { webhook: { responseMode: 'onReceived' } });
  const failed: string[] = [];
  for (const [name, type, body] of bodies) {
    const { statusCode = 0 } = await send(body, type);
    if (statusCode !== 202 && (statusCode < 400 || statusCode > 499))
      failed.push(`${name} (${type}): ${statusCode}`);
  }
  expect(failed).toEqual([]);
});

test('a bomb is a 413 for each type, and one in another is parsed once', async () => {
  const { send } = await aServiceWithBody();
  const zeros = Buffer.alloc(10_000_000);
  for (const type of Object.values(types)) {
    expect((await send(gzipSync(zeros), type, { 'content-encoding': 'gzip' })).statusCode).toBe(413);
    expect((await send(brotliCompressSync(zeros), type, { 'content-encoding': 'br' })).statusCode).toBe(413);
    const nested = await send(gzipSync(gzipSync(zeros)), type, { 'content-encoding': 'gzip, gzip' });
    expect(nested.statusCode).toBe(415);
  }
});
