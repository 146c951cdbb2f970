import { brotliCompressSync, gzipSync } from 'node:zlib';
import { aMultipart, multipartType } from './a-body-service.ts';

/** By the kind of body that is parsed. */
export const contentTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  form: 'application/x-www-form-urlencoded',
  multipart: multipartType,
  xml: 'text/xml',
  text: 'text/plain',
  file: 'image/png',
};

export interface HostileBody {
  readonly name: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** `content-encoding`, for a compressed body. */
  readonly encoding?: string;
}

const entities = Array.from({ length: 10 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
const xmlBomb = `<!DOCTYPE a [<!ENTITY e0 "lol">${entities.join('')}]><a>&e10;</a>`;
const names = Array.from({ length: 10_000 }, (_, at) => `a${at}`);

/** One character again and again, which begins or separates something in one of the types. */
const repeated = (character: string, bytes: number): HostileBody[] =>
  Object.values(contentTypes).map((contentType) => ({
    name: `many ${JSON.stringify(character)}`,
    contentType,
    body: character.repeat(bytes),
  }));

/** @param bytes - of the largest bodies, as received or inflated */
export const hostileBodies = (bytes: number): HostileBody[] => {
  const { json, ndjson, form, multipart, xml } = contentTypes;
  const times = (text: string) => text.repeat(bytes / text.length - 10);
  const files = names.map((name) => [`name="a"; filename="${name}"`, '1'] as const);
  const fields = names.map((name) => [`name="${name}"`, '1'] as const);
  const bomb = Buffer.alloc(10_000_000);
  const [gzipBomb, brotliBomb] = [gzipSync(bomb), brotliCompressSync(bomb)];
  const fitting = gzipSync(bomb.subarray(0, bytes));
  const named: readonly (readonly [name: string, contentType: string, body: string])[] = [
    ['100 kB of brackets, closed', json, `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['many lists', json, `[${times('[],')}1]`],
    ['many maps', json, `[${times('{"a":1},')}1]`],
    ['many different keys', json, `{${names.map((name) => `"${name}":1`).join()}}`],
    ['many integers that a number would round', json, `[${times('9007199254740993,')}1]`],
    ['a long integer', json, `[${times('9')}]`],
    ['many strings around such an integer', json, `[${times('"\\\\\\"",')}9007199254740993]`],
    ['many short lines', ndjson, times('1\n')],
    ['many lines', ndjson, `${'1'.padEnd(bytes / 50_000 - 2)}\n`.repeat(49_999)],
    ['many fields', form, names.join('&')],
    ['many more fields', form, times('a&')],
    ['many escapes', form, times('%41')],
    ['many fields', multipart, aMultipart(...fields)],
    ['many files', multipart, aMultipart(...files)],
    ['many boundaries', multipart, times('--x\r\n\r\n')],
    ['parts that are nearly one', multipart, `--x\r\n${times('\r\n--')}`],
    [
      'parts that are nearly one, in a field',
      multipart,
      aMultipart(['name="a"', times('\r\n--').slice(0, -1_000)]),
    ],
    ['a long name', multipart, `--x\r\nContent-Disposition: form-data; name="${'a'.repeat(bytes / 2)}`],
    ['many headers', multipart, `--x\r\n${times('a: b\r\n')}`],
    ['a long boundary', `${multipart}${'x'.repeat(5_000)}`, aMultipart(['name="a"', '1'])],
    ['a boundary that is broken', 'multipart/form-data; boundary="', aMultipart(['name="a"', '1'])],
    ['entities that expand', xml, xmlBomb],
    ['many elements', xml, `<a>${times('<b/>')}</a>`],
    [
      'many elements, as many as are allowed',
      xml,
      `<a>${'<b/>'.repeat(Math.min(bytes / 4 - 10, 99_990))}</a>`,
    ],
    ['deep elements', xml, times('<a>')],
    ['many attributes', xml, `<a ${names.map((name) => `${name}="1"`).join(' ')}/>`],
    ['many entities', xml, `<a>${times('&lt;')}</a>`],
  ];
  return [
    ...['a', '[', '"', '<', '\n', '&', '%', '-', '\u0000', 'ÿ'].flatMap((character) =>
      repeated(character, character === 'ÿ' ? bytes / 2 : bytes),
    ),
    ...Object.values(contentTypes).flatMap((contentType) => [
      { name: '100 kB of brackets', contentType, body: '['.repeat(100_000) },
      { name: 'a bomb of gzip', contentType, body: gzipBomb, encoding: 'gzip' },
      { name: 'a bomb of br', contentType, body: brotliBomb, encoding: 'br' },
      { name: 'as much gzip as fits', contentType, body: fitting, encoding: 'gzip' },
    ]),
    ...named.map(([name, contentType, body]) => ({ name, contentType, body })),
  ];
};
