import { describe, expect, test } from '@jest/globals';
import {
  type BulkForm,
  checkForm,
  FORM_NAMES,
  toBulkRequest,
} from '../src/views/bulk-retries/bulk-request.ts';
import { describeCounts, describeFilter } from '../src/views/bulk-retries/describe-bulk-retry.ts';

const form = (changes: Partial<BulkForm>): BulkForm => ({
  ...(Object.fromEntries(FORM_NAMES.map((name) => [name, ''])) as unknown as BulkForm),
  ...changes,
});

describe('the form of a bulk retry', () => {
  test('sends only what was filled in', () => {
    expect(toBulkRequest(form({}), 0)).toEqual({ filter: { all: true } });
    expect(toBulkRequest(form({ workflowId: 'ship' }), 0)).toEqual({ filter: { workflowId: 'ship' } });
  });

  test('asks for failed items without a node to start from', () => {
    const filled = form({ only: 'failedItems', fromNode: 'book' });
    expect(toBulkRequest(filled, 0)).toEqual({ filter: { all: true }, only: 'failedItems' });
  });

  test('sends numbers as numbers, and a share for percent', () => {
    const filled = form({
      workflowId: 'ship',
      status: 'failed,cancelled',
      workflowVersion: '3',
      fromNode: 'book',
      rate: '5',
      stopAt: '20',
      version: 'current',
      last: '1-minute',
    });
    expect(toBulkRequest(filled, 60_000)).toEqual({
      filter: {
        workflowId: 'ship',
        status: ['failed', 'cancelled'],
        workflowVersion: 3,
        from: '1970-01-01T00:00:00.000Z',
      },
      from: 'book',
      version: 'current',
      rate: 5,
      stopAtFailedShare: 0.2,
    });
  });

  test.each([
    [{ rate: '0' }, 'rate'],
    [{ rate: '101' }, 'rate'],
    [{ rate: '1.5' }, 'rate'],
    [{ stopAt: '101' }, 'stopAt'],
    [{ stopAt: 'half' }, 'stopAt'],
    [{ workflowVersion: '0' }, 'workflowVersion'],
  ])('names the field of %j', (changes, field) => {
    expect(Object.keys(checkForm(form(changes)))).toEqual([field]);
  });

  test('has nothing against the bounds', () => {
    expect(checkForm(form({ rate: '100', stopAt: '0', workflowVersion: '1' }))).toEqual({});
  });
});

test('a bulk retry is described without what is zero', () => {
  const counts = { total: 50, remaining: 0, open: 0, succeeded: 50, failedAgain: 0, refused: 0 };
  expect(describeCounts(counts)).toBe('50 of 50 succeeded');
  expect(
    describeCounts({ ...counts, remaining: 33, open: 1, succeeded: 12, failedAgain: 3, refused: 1 }),
  ).toBe('12 of 50 succeeded, 3 failed again, 1 refused, 1 runs, 33 to start');
});

test('a filter is described by what it matches', () => {
  const filter = {
    workflowId: 'ship',
    status: ['failed', 'timedOut'],
    failureNode: null,
    failureName: null,
    workflowVersion: null,
  };
  expect(describeFilter(filter)).toBe('failed or timed out');
  expect(
    describeFilter({ ...filter, failureNode: 'book', failureName: 'HttpStatusError', workflowVersion: 3 }),
  ).toBe('failed or timed out at book with HttpStatusError, of version 3');
});
