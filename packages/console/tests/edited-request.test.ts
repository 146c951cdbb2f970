import { describe, expect, test } from '@jest/globals';
import { toEdit, toEditable } from '../src/views/requests/to-edit.ts';

const original = { body: '{"id":"A-1","total":12}', query: 'dry=1' };
const unchanged = { body: toEditable(original.body), query: 'dry=1', headers: '{}' };

describe('an edited request', () => {
  test('has nothing to say when nothing was changed', () => {
    expect(toEdit(original, unchanged)).toEqual({ input: {} });
    expect(toEdit(original, { ...unchanged, headers: ' ' })).toEqual({ input: {} });
  });

  test('sends a JSON body as its value, and only what was changed', () => {
    expect(toEdit(original, { ...unchanged, body: '{ "id": "A-2" }' })).toEqual({
      input: { body: { id: 'A-2' } },
    });
    expect(toEdit(original, { ...unchanged, query: '', headers: '{"x-test":"1","x-old":null}' })).toEqual({
      input: { query: '', headers: { 'x-test': '1', 'x-old': null } },
    });
  });

  test('sends text for what was text', () => {
    const form = { body: 'a=1&b=2', query: '' };
    expect(toEdit(form, { body: 'a=1&b=3', query: '', headers: '{}' })).toEqual({
      input: { body: 'a=1&b=3' },
    });
  });

  test.each([
    [{ body: '{ "id": ' }, { field: 'body', problem: 'The body must be JSON, as it was.' }],
    [{ headers: '[]' }, { field: 'headers', problem: 'The headers must be a JSON object.' }],
    [{ headers: '{' }, { field: 'headers', problem: 'The headers must be a JSON object.' }],
  ])('names what is wrong with %j', (changes, problem) => {
    expect(toEdit(original, { ...unchanged, ...changes })).toEqual(problem);
  });
});
