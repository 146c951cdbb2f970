import { describe, expect, test } from '@jest/globals';
import { parseFields } from '../../../lib/shared/query-fields.ts';
import { listRequests, requestQuery } from '../../../lib/webhooks/requests/list-requests.ts';
import {
  parseRecordId,
  passedPlace,
  type RequestRecord,
  refusedPlace,
  toRecordId,
} from '../../../lib/webhooks/requests/request-record.ts';
import { aRequestRecord, RECEIVED_AT as T0 } from '../../support/a-request-record.ts';
import { inMemoryRequestStore } from '../../support/in-memory-stores.ts';

const MINUTE = 60_000;

const refused = (at: number, slot: number, changes: Partial<RequestRecord> = {}): RequestRecord =>
  aRequestRecord({ receivedAt: at, place: refusedPlace(at, slot), requestId: `at-${at - T0}`, ...changes });

const passed = (at: number, changes: Partial<RequestRecord> = {}): RequestRecord =>
  aRequestRecord({
    receivedAt: at,
    place: passedPlace(at, 'id'),
    requestId: `at-${at - T0}`,
    verdict: 'started',
    executionId: 'e-1',
    refusal: null,
    ...changes,
  });

/** Within two minutes; slots say nothing of the order within one. */
const records = [
  refused(T0, 50),
  refused(T0 + 10, 3, { key: 'k-1', sender: '2001:db8::1' }),
  passed(T0 + 20, { key: 'k-1' }),
  refused(T0 + 30, 20),
  passed(T0 + 30, { verdict: 'skipped', executionId: null, requestId: 'at-31' }),
  refused(T0 + MINUTE, 59),
  passed(T0 + MINUTE + 5, { verdict: 'duplicate' }),
];

const list = async (query: Readonly<Record<string, string>>, stored: readonly RequestRecord[] = records) => {
  const store = inMemoryRequestStore();
  for (const record of stored) await store.put(record);
  const parsed = parseFields(requestQuery, { workflowId: 'shop', ...query });
  const { requests, nextCursor } = await listRequests(parsed, store, T0 + 10 * MINUTE);
  return { ids: requests.map(({ requestId }) => requestId), nextCursor };
};

describe('requests on record are listed', () => {
  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['at-60005', 'at-60000', 'at-30', 'at-31', 'at-20', 'at-10', 'at-0']],
    [{ verdict: 'refused' }, ['at-60000', 'at-30', 'at-10', 'at-0']],
    [{ verdict: 'started,skipped' }, ['at-31', 'at-20']],
    [{ verdict: 'refused,duplicate' }, ['at-60005', 'at-60000', 'at-30', 'at-10', 'at-0']],
    [{ key: 'k-1' }, ['at-20', 'at-10']],
    [{ sender: '2001:db8::1' }, ['at-10']],
    [{ request: 'at-0' }, ['at-0']],
    [{ from: String(T0 + 30) }, ['at-60005', 'at-60000', 'at-30', 'at-31']],
    [{ to: String(T0 + 10) }, ['at-10', 'at-0']],
    [{ from: String(T0 + 5), to: String(T0 + 20) }, ['at-20', 'at-10']],
    [{ workflowId: 'other' }, []],
  ])('%j: the latest first', async (query, ids) => {
    expect(await list(query)).toEqual({ ids, nextCursor: null });
  });

  test.each([1, 2, 3, 7])('in pages of %d, which leave none out', async (limit) => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list({ limit: String(limit), ...(cursor === '' ? {} : { cursor }) });
      expect(page.ids.length).toBeLessThanOrEqual(limit);
      found.push(...page.ids);
      cursor = page.nextCursor;
    }
    expect(found).toEqual((await list({})).ids);
  });

  test('2,000 at a time', async () => {
    const many = Array.from({ length: 2_100 }, (_, at) => passed(T0 + at));
    const first = await list({ key: 'k-2' }, [...many, passed(T0 - 1, { key: 'k-2' })]);
    expect(first).toEqual({ ids: [], nextCursor: expect.any(String) });
    const next = await list({ key: 'k-2', cursor: first.nextCursor ?? '' }, [
      ...many,
      passed(T0 - 1, { key: 'k-2' }),
    ]);
    expect(next).toEqual({ ids: ['at--1'], nextCursor: null });
  });

  test.each([
    [{ workflowId: 'a b' }, 'workflowId must be a workflow id'],
    [{ verdict: 'accepted' }, 'verdict must be one of started, duplicate, refused, skipped'],
    [{ from: 'noon' }, 'from must be a time'],
    [{ from: '2', to: '1' }, 'from must not be later than to'],
    [{ limit: '101' }, 'limit must be an integer from 1 to 100'],
    [{ cursor: 'x' }, 'cursor must be the nextCursor of an earlier page'],
  ])('%j is refused', async (query, message) => {
    await expect(list(query)).rejects.toThrow(message);
  });
});

describe('the id of a record', () => {
  test.each([refused(T0, 7), passed(T0), aRequestRecord({ place: passedPlace(T0, 'JKJaXmPLvHc/+A=') })])(
    'names its place: %#',
    (record) => {
      const { workflowId, place } = record;
      expect(parseRecordId(toRecordId(record))).toEqual({ workflowId, place });
    },
  );

  test.each([
    '',
    'shop',
    'shop.',
    'shop.x',
    '.r20231114T2213-07',
    'a b.r20231114T2213-07',
    'shop.r20231114T2213-07 ',
  ])('cannot be any other text: %j', (id) => {
    expect(parseRecordId(id)).toBeNull();
  });
});
