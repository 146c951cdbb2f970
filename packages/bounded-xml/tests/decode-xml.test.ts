import { expect, test } from '@jest/globals';
import { decodeXml } from '../src/decode-xml.ts';

const declaring = (encoding: string, bytes: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>`), Buffer.from(bytes)]);

test.each<[string, Buffer, string]>([
  ['UTF-8 by default', Buffer.from('ü'), ''],
  ['UTF-8 with a mark, which is left out', Buffer.from('\ufeffü'), 'text/xml; charset=iso-8859-1'],
  ['UTF-16 with a mark', Buffer.from('\ufeffü', 'utf16le'), ''],
  ['UTF-16 with its bytes in the other order', Buffer.from('\ufeffü', 'utf16le').swap16(), ''],
  ['the charset of the content type', Buffer.from([0xfc]), 'text/xml; charset="ISO-8859-1"'],
  ['the charset of the declaration', declaring('ISO-8859-1', [0xfc]), 'text/xml'],
  ['UTF-8 that says that it is UTF-16', declaring('utf-16', [0xc3, 0xbc]), ''],
  ['UTF-8 whose content type says UTF-16', declaring('utf-8', [0xc3, 0xbc]), 'text/xml; charset=UTF-16'],
  ['UTF-16 without a mark', Buffer.from('<?xml version="1.0" encoding="utf-16"?>ü', 'utf16le'), ''],
  ['UTF-8 where the charset is not known', declaring('x-odd', [0xc3, 0xbc]), 'text/xml; charset=odd'],
])('%s', (_case, bytes, contentType) => {
  expect(decodeXml(bytes, contentType).slice(-1)).toBe('ü');
});

test('the content type takes precedence over the declaration', () => {
  expect(decodeXml(declaring('utf-8', [0xfc]), 'text/xml; charset=windows-1252')).toMatch(/ü$/);
});

test('invalid bytes are replaced', () => {
  expect(decodeXml(Buffer.from([0xff, 0x61]), '')).toBe('\ufffda');
});
