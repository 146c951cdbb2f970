import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkAnswers, readForm } from '../../../lib/shared/forms/form-answers.ts';
import { toErrorMember } from '../../../lib/shared/forms/form-error.ts';
import { describeLimits, toFields } from '../../../lib/shared/forms/form-fields.ts';
import { findFormProblems } from '../../../lib/shared/forms/form-problems.chunk.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { cases } from '../../support/deep.ts';

const schemaOf = (field: object, required: readonly string[] = []) => ({
  type: 'object',
  required,
  properties: { a: field },
});

describe('the fields of a form', () => {
  test.each([
    [{ type: 'string' }, 'line'],
    [{ type: 'string', maxLength: 200 }, 'line'],
    [{ type: 'string', maxLength: 201 }, 'text'],
    [{ type: 'string', format: 'email' }, 'email'],
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'number' }, 'number'],
    [{ type: 'integer' }, 'integer'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['x', 7] }, 'choice'],
    [{ type: 'string', enum: ['x'] }, 'choice'],
  ])('%j is a %s', (field, kind) => {
    expect(toFields(schemaOf(field))).toMatchObject([{ name: 'a', kind, title: 'a', isRequired: false }]);
    expect(findFormProblems(schemaOf(field))).toEqual([]);
  });

  test.each([
    ['no object', { type: 'string' }, ''],
    ['no fields', { type: 'object', properties: {} }, '/properties'],
    ['a list', schemaOf({ type: 'array' }), '/properties/a'],
    ['several types', schemaOf({ type: ['string', 'null'] }), '/properties/a'],
    ['options that look alike', schemaOf({ enum: [1, '1'] }), '/properties/a'],
    ['no options', schemaOf({ enum: [] }), '/properties/a'],
    ['options that are no scalars', schemaOf({ enum: [{}] }), '/properties/a'],
    ['a boolean for a schema', { type: 'object', properties: { 'a/b': true } }, '/properties/a~1b'],
    ['a required property that is not there', schemaOf({ type: 'string' }, ['b']), '/required'],
    ['a pattern that needs backtracking', schemaOf({ type: 'string', pattern: '(a)\\1' }), ''],
    [
      'a reserved name',
      { type: 'object', properties: { decision: { type: 'string' } } },
      '/properties/decision',
    ],
  ])('cannot be built from %s', (_case, schema, path) => {
    expect(findFormProblems(schema, ['decision'])).toEqual([{ path, message: expect.any(String) }]);
  });
});

describe('a submitted form', () => {
  test.each([
    [{ type: 'string' }, 'x\r\ny', 'x\ny'],
    [{ type: 'string' }, ' ', ' '],
    [{ type: 'number' }, ' -1.50 ', -1.5],
    [{ type: 'number' }, '.5', 0.5],
    [{ type: 'number' }, '1e3', 1000],
    [{ type: 'number' }, '0x10', '0x10'],
    [{ type: 'number' }, 'Infinity', 'Infinity'],
    [{ type: 'number' }, '1e999', '1e999'],
    [{ type: 'number' }, '1'.repeat(401), '1'.repeat(401)],
    [{ type: 'integer' }, '8202522731445525542', '8202522731445525542'],
    [{ type: 'number' }, ' -008202522731445525542', '-8202522731445525542'],
    [{ type: 'integer' }, '+0012', 12],
    [{ type: 'number' }, '1,5', '1,5'],
    [{ type: 'integer' }, '7', 7],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, 'on', 'on'],
    [{ enum: ['x', 7, true] }, '7', 7],
    [{ enum: ['x', 7, true] }, 'true', true],
    [{ enum: ['x'] }, 'y', 'y'],
    [{ type: 'string' }, ['x', 'y'], ['x', 'y']],
  ])('%j: %j is %j', (field, typed, value) => {
    expect(readForm(schemaOf(field), { a: typed })).toEqual({ a: value });
  });

  test('has empty fields as absent, and unticked boxes as false', () => {
    expect(readForm(schemaOf({ type: 'string' }), { a: '' })).toEqual({});
    expect(readForm(schemaOf({ type: 'boolean' }), {})).toEqual({ a: false });
    expect(readForm(schemaOf({ type: 'string' }), { b: 'x' })).toEqual({ b: 'x' });
  });

  test('treats prototype names as names', () => {
    const typed = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(Object.entries(readForm(schemaOf({ type: 'string' }), typed))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(checkAnswers(schemaOf({ type: 'string' }), typed)).toHaveLength(2);
  });
});

describe('answers are checked', () => {
  test.each([
    [{ type: 'string' }, {}, 'Fill in this field.'],
    [{ enum: ['x'] }, {}, 'Choose one of the options.'],
    [{ type: 'string', format: 'date' }, {}, 'Enter a date.'],
    [{ type: 'string', format: 'date' }, { a: '2026-02-30' }, 'Enter a date, such as 2026-01-31.'],
    [{ type: 'string', format: 'email' }, { a: 'x' }, 'Enter an e-mail address, such as ada@example.com.'],
    [{ type: 'string', minLength: 2 }, { a: 'x' }, 'Enter at least 2 characters.'],
    [{ type: 'string', maxLength: 2 }, { a: 'xyz' }, 'Enter at most 2 characters.'],
    [{ type: 'string', pattern: '^a+$' }, { a: 'b' }, 'This is not in the requested format.'],
    [{ type: 'string' }, { a: ['x', 'y'] }, 'Enter a text.'],
    [{ type: 'number' }, { a: 'x' }, 'Enter a number, such as 12.5.'],
    [{ type: 'integer' }, { a: 1.5 }, 'Enter a whole number, such as 12.'],
    [{ type: 'number', minimum: 2 }, { a: 1 }, 'Enter a number of 2 or more.'],
    [{ type: 'number', maximum: 2 }, { a: 3 }, 'Enter a number of 2 or less.'],
    [{ type: 'number', exclusiveMinimum: 2 }, { a: 2 }, 'Enter a number above 2.'],
    [{ type: 'number', exclusiveMaximum: 2 }, { a: 2 }, 'Enter a number below 2.'],
    [{ type: 'number', multipleOf: 2 }, { a: 3 }, 'Enter a multiple of 2.'],
    [{ type: 'boolean', const: true }, { a: false }, 'Tick this box.'],
    [{ type: 'boolean' }, { a: 'on' }, 'Tick this box, or leave it empty.'],
    [{ enum: ['x'] }, { a: 'y' }, 'Choose one of the options.'],
  ])('%j refuses %j: %s', (field, answers, message) => {
    expect(checkAnswers(schemaOf(field, ['a']), answers)).toEqual([{ name: 'a', message }]);
  });

  test('and names without a field are refused, whatever the schema allows', () => {
    const schema = { ...schemaOf({ type: 'string' }), additionalProperties: { type: 'string' } };
    expect(checkAnswers(schema, { a: 'x', 'b"': 'y' })).toEqual([
      { name: null, message: 'There is no field "b\\"".' },
    ]);
  });

  test('and a rule over several fields is one error for the whole form', () => {
    const schema = { ...schemaOf({ type: 'string' }), minProperties: 1 };
    expect(checkAnswers(schema, {})).toEqual([
      { name: null, message: 'These answers are not consistent with each other.' },
    ]);
  });

  test('and a field may have any name', () => {
    const name = `a/~ %"é${'\u{1f600}'}`;
    const schema = { type: 'object', properties: { [name]: { type: 'integer' } } };
    const [error] = checkAnswers(schema, { [name]: 'x' });
    expect(error).toMatchObject({ name });
    expect(toErrorMember(error ?? { name: null, message: '' }).pointer).toBe(
      '#/a~1~0%20%25%22%C3%A9%F0%9F%98%80',
    );
  });

  test('and any input either matches the schema or is an error, and never throws', () => {
    const properties = {
      line: { type: 'string', pattern: '^[a-z]*$' },
      date: { type: 'string', format: 'date' },
      number: { type: 'number', multipleOf: 0.5 },
      box: { type: 'boolean' },
      choice: { enum: ['x', 1] },
    };
    const schema = { type: 'object', required: ['line'], properties };
    const name = fc.oneof(fc.constantFrom(...Object.keys(properties)), fc.string({ unit: anyCharacter }));
    const value = fc.oneof(fc.string({ unit: anyCharacter }), fc.double().map(String), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(name, value), (typed) => {
        const errors = checkAnswers(schema, readForm(schema, typed));
        for (const error of errors) expect(toErrorMember(error).detail).toMatch(/\.$/);
      }),
      { numRuns: cases(200, 10_000) },
    );
  });
});

test.each([
  [{ type: 'integer' }, 'A whole number.'],
  [{ type: 'integer', minimum: 1 }, 'A whole number of 1 or more.'],
  [{ type: 'number', maximum: 1 }, 'A number of 1 or less.'],
  [{ type: 'number', minimum: 0, maximum: 1 }, 'A number from 0 to 1.'],
  [{ type: 'number' }, null],
  [{ type: 'string', minLength: 2, maxLength: 9 }, 'At least 2 and at most 9 characters.'],
  [{ type: 'string', minLength: 1 }, null],
  [{ type: 'boolean' }, null],
])('the limits of %j are: %s', (field, text) => {
  const [shown] = toFields(schemaOf(field));
  expect(shown === undefined ? null : describeLimits(shown)).toBe(text);
});
