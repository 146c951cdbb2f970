import { expect, test } from '@jest/globals';
import { findKeywordFault } from '../../lib/plugins/metadata/find-keyword-fault.ts';

const circular: { properties: Record<string, unknown> } = { properties: {} };
circular.properties.again = circular;

test.each<[string, unknown, string]>([
  ['a list', [], 'the top'],
  ['null', null, 'the top'],
  ['an unknown type', { type: 'objekt' }, 'type'],
  ['an unknown type among others', { type: ['string', 'date'] }, 'type'],
  ['properties that are a list', { properties: [] }, 'properties'],
  ['a property that is a text', { properties: { url: 'string' } }, 'properties.url'],
  ['a property of an unknown type', { properties: { url: { type: 'uri' } } }, 'properties.url.type'],
  ['required that is no list', { required: true }, 'required'],
  ['required that has a number', { required: [1] }, 'required'],
  ['enum that is no list', { enum: 'a' }, 'enum'],
  ['a pattern that is none', { properties: { a: { pattern: '(' } } }, 'properties.a.pattern'],
  ['items of an unknown type', { items: { type: 'x' } }, 'items.type'],
  ['a branch that is none', { anyOf: [{}, 7] }, 'anyOf[1]'],
  ['other keys of an unknown type', { additionalProperties: { type: 7 } }, 'additionalProperties.type'],
])('%s is reported', (_case, schema, place) => {
  expect(findKeywordFault(schema)).toBe(place);
});

test('a schema that contains itself is handled', () => {
  expect(findKeywordFault(circular)).toMatch(/^properties\.again\.properties\.again\./);
});

test.each<[string, unknown]>([
  ['nothing', {}],
  ['true and false', { properties: { a: true, b: false }, additionalProperties: false }],
  ['several types', { type: ['object', 'array'] }],
  ['keywords that are not known here', { if: { type: 'x' }, 'x-mine': 7 }],
])('%s is not reported', (_case, schema) => {
  expect(findKeywordFault(schema)).toBeNull();
});
