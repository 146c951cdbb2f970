import { describe, expect, test } from '@jest/globals';
import { parseInput, startOfInput, toInput, toInputFields } from '../src/views/workflow/run-input.ts';

const declaring = (properties: object, required: readonly string[] = []) => ({
  parameters: { schema: { type: 'object', properties, required } },
});

test("an integer that a number can't hold is sent as a string of its digits", () => {
  const fields = toInputFields(declaring({ id: { type: 'integer' } })) ?? [];
  expect(toInput('webhookTrigger', fields, { id: '8202522731445525542' })).toEqual({
    body: { id: '8202522731445525542' },
  });
  expect(parseInput('{"id":8202522731445525542}')).toEqual({ input: { id: '8202522731445525542' } });
});

describe('the form of a trigger', () => {
  const fields = toInputFields(
    declaring(
      {
        what: { type: 'string', title: 'What do you need?', description: 'In a word' },
        cost: { type: 'number' },
        team: { enum: ['Kitchen', 7] },
        urgent: { type: 'boolean' },
      },
      ['what'],
    ),
  );

  test('has a field for each key of its schema', () => {
    expect(fields?.map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired])).toEqual([
      ['what', 'What do you need?', 'text', true],
      ['cost', 'cost', 'number', false],
      ['team', 'team', 'choice', false],
      ['urgent', 'urgent', 'boolean', false],
    ]);
  });

  test('makes a body of typed values, without fields that are empty', () => {
    const input = toInput('webhookTrigger', fields ?? [], {
      what: '12',
      cost: '1.5',
      team: '7',
      urgent: 'false',
    });
    expect(input).toEqual({ body: { what: '12', cost: 1.5, team: 7, urgent: false } });
    expect(toInput('webhookTrigger', fields ?? [], { what: '' })).toEqual({ body: {} });
    expect(toInput('manualTrigger', fields ?? [], { what: '12' })).toEqual({ what: '12' });
  });

  test.each([
    ['there is no schema', {}],
    ['the schema has no properties', { parameters: { schema: { type: 'object' } } }],
    ['the schema has no fields', declaring({})],
    ['a field is an object', declaring({ customer: { type: 'object' }, id: { type: 'string' } })],
    ['a field may have several types', declaring({ id: { type: ['string', 'null'] } })],
  ])('does not exist if %s', (_, trigger) => {
    expect(toInputFields(trigger)).toBeNull();
  });
});

describe('an input as JSON', () => {
  test('begins with what the type of trigger takes', () => {
    expect(JSON.parse(startOfInput('webhookTrigger'))).toEqual({ body: {} });
    expect(JSON.parse(startOfInput('manualTrigger'))).toEqual({});
  });

  test('must be an object', () => {
    expect(parseInput('{"body":1}')).toEqual({ input: { body: 1 } });
    expect(parseInput(' ')).toEqual({ input: {} });
    expect(parseInput('[1]')).toEqual({ reason: 'The input must be a JSON object.' });
    expect(parseInput('{')).toEqual({ reason: 'This is not valid JSON.' });
    const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(parseInput(deep(200))).toHaveProperty('input');
    expect(parseInput(deep(201))).toEqual({ reason: 'The input is nested too deeply.' });
    expect(parseInput(deep(100_000))).toEqual({ reason: 'The input is nested too deeply.' });
  });
});
