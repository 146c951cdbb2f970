import { expect, test } from '@jest/globals';
import { toExecutionId } from '../../lib/deliveries/to-execution-id.ts';

test.each([
  ['-a-b', '0a-b'],
  ['a-b-', 'a-b-'],
  ['_a', '_a'],
])('%s becomes %s: no id looks like an option', (hash, id) => {
  expect(toExecutionId(hash)).toBe(id);
});
