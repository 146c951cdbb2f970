import { describe, expect, test } from '@jest/globals';
import { parseSecret } from '../../../lib/credentials/outbound/load-credential.ts';

describe('the text of a secret with one field', () => {
  const plain = { type: 'object', properties: { key: { type: 'string' } } };
  const document = {
    type: 'object',
    properties: { key: { type: 'string', contentMediaType: 'application/json' } },
  };

  test.each([
    ['the value itself', 'the-key-1', plain, { key: 'the-key-1' }],
    ['an object with the field', '{"key":"the-key-1"}', plain, { key: 'the-key-1' }],
    ['an object with other fields', '{"a":"b"}', plain, { a: 'b' }],
    ['an object with other fields, where the type has no properties', '{"a":"b"}', {}, { a: 'b' }],
    ['a document', '{"a":{"b":1}}', document, { key: '{"a":{"b":1}}' }],
    ['an object with the document', '{"key":"{}"}', document, { key: '{}' }],
    ['a truncated object', '{"key":"the-', plain, null],
    ['a truncated document', '{"a":{"b"', document, null],
    ['an object of other values', '{"key":1}', plain, null],
    ['nothing', ' \n', document, null],
  ])('may be %s', (_case, text, schema, fields) => {
    expect(parseSecret(text, { secretFields: ['key'], schema })).toEqual(fields);
  });
});
