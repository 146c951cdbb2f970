import { expect, test } from '@jest/globals';
import { findProblem } from '../tools/find-problem.ts';

test.each([
  ['GitHub', { message: 'Not Found', documentation_url: 'https://docs.example' }, 'Not Found'],
  ['OpenAI', { error: { message: 'no such model', type: 'invalid_request_error' } }, 'no such model'],
  ['OAuth', { error: 'invalid_grant', error_description: 'it is expired' }, 'it is expired'],
  ['OAuth without a description', { error: 'invalid_grant' }, 'invalid_grant'],
  ['problem details', { title: 'Conflict', detail: 'order 7 is paid' }, 'order 7 is paid'],
  ['GraphQL', { data: null, errors: [{ message: 'no field "x"' }, { message: 'b' }] }, 'no field "x"'],
  ['several lines', { message: ' a\r\n\tb ' }, 'a b'],
  ['a long one', { message: 'x'.repeat(301) }, 'x'.repeat(300)],
])('finds the message of %s', (_case, body, expected) => {
  expect(findProblem(body)).toBe(expected);
});

test.each([
  [undefined],
  [null],
  ['<p>text'],
  [[]],
  [{}],
  [{ message: 7 }],
  [{ message: ' ' }],
  [{ error: { error: { error: { error: { error: 'too deep' } } } } }],
])('finds nothing in %j', (body) => {
  expect(findProblem(body)).toBe(null);
});
