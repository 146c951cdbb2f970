import { expect, test } from '@jest/globals';
import {
  createIdOfRequest,
  executionIdOfRequest,
  toExecutionId,
} from '../../../lib/executions/deliveries/to-execution-id.ts';

test.each([
  ['-a-b', '0a-b'],
  ['a-b-', 'a-b-'],
  ['_a', '_a'],
])('%s becomes %s: no id looks like an option', (hash, id) => {
  expect(toExecutionId(hash)).toBe(id);
});

test('a new request has an execution id; a recorded one has none, since it comes again', () => {
  const now = 1_700_000_000_000;
  const idOf = createIdOfRequest({ now: () => now });
  expect(idOf('a=', now - 30_000)).toBe(executionIdOfRequest('a='));
  expect(executionIdOfRequest('a=')).toMatch(/^[\w][\w-]{42}$/);
  expect(executionIdOfRequest('b=')).not.toBe(executionIdOfRequest('a='));
  expect(idOf('a=', now - 300_000)).toBeNull();
  expect(idOf('a=', now + 300_000)).toBeNull();
});
