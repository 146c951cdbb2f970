import { describe, expect, test } from '@jest/globals';
import { parseLast, periodBounds } from '../src/parts/period.ts';
import { withQuery } from '../src/parts/with-query.ts';
import {
  hasUnretryableFilter,
  isRunningNow,
  toBulkRetryQuery,
  toListQuery,
} from '../src/views/executions/filters.ts';

const NOW = Date.parse('2026-11-26T12:00:00.000Z');
const NONE = {
  workflowId: '',
  status: '',
  key: '',
  request: '',
  failureNode: '',
  failureName: '',
  bulkRetryId: '',
  last: '',
  from: '',
  to: '',
};

describe('a period in the address', () => {
  test('counts back from now', () => {
    expect(periodBounds({ last: '15-minute', from: '', to: '' }, NOW)).toEqual({
      from: '2026-11-26T11:45:00.000Z',
      to: '',
    });
  });

  test.each(['', 'hour', '0-hour', '-1-hour', '1-century', '12345-day', '1-hour '])(
    'takes %j for no relative period',
    (last) => {
      expect(parseLast(last)).toBeNull();
      expect(periodBounds({ last, from: 'A', to: 'B' }, NOW)).toEqual({ from: 'A', to: 'B' });
    },
  );
});

describe('the filters of executions', () => {
  test('ask for a key only together with its workflow, since the API refuses it otherwise', () => {
    expect(toListQuery({ ...NONE, key: ' k ' }, NOW).key).toBe('');
    expect(toListQuery({ ...NONE, workflowId: 'orders', key: ' k ' }, NOW).key).toBe('k');
  });

  test.each([
    [{ workflowId: '', status: 'running,waiting' }, true],
    [{ workflowId: '', status: 'running,failed' }, false],
    [{ workflowId: 'orders', status: 'running' }, false],
    [{ workflowId: '', status: '' }, false],
  ])('know the list that has the oldest first: %j', (filters, expected) => {
    expect(isRunningNow(filters)).toBe(expected);
  });

  test('become those of a bulk retry without the statuses that have not ended', () => {
    expect(
      toBulkRetryQuery(
        { ...NONE, workflowId: 'orders', status: 'running,failed', failureName: 'Timeout', last: '1-hour' },
        NOW,
      ),
    ).toEqual({
      workflowId: 'orders',
      status: 'failed',
      failureNode: '',
      failureName: 'Timeout',
      from: '2026-11-26T11:00:00.000Z',
      to: '',
    });
  });

  test.each([
    [{}, false],
    [{ failureName: 'Timeout', workflowId: 'orders' }, false],
    [{ key: 'k' }, true],
    [{ request: 'r' }, true],
    [{ bulkRetryId: 'b' }, true],
  ])('know which of them a bulk retry lacks: %j', (filters, expected) => {
    expect(hasUnretryableFilter({ ...NONE, ...filters })).toBe(expected);
  });
});

test('a path has a query only of what is given', () => {
  expect(withQuery('/executions', { a: '', b: '' })).toBe('/executions');
  expect(withQuery('/executions', { a: 'x y&z', b: '' })).toBe('/executions?a=x+y%26z');
});
