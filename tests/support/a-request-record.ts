import type { RequestRecord } from '../../lib/webhooks/requests/request-record.ts';

/** 14 November 2023, 22:13:20. */
export const RECEIVED_AT = 1_700_000_000_000;

/** A refused request at `shop`. */
export const aRequestRecord = (changes: Partial<RequestRecord> = {}): RequestRecord => ({
  workflowId: 'shop',
  place: 'r20231114T2213-07',
  requestId: 'request-1',
  receivedAt: RECEIVED_AT,
  sender: '192.0.2.7',
  method: 'POST',
  path: '/orders',
  query: 'a=1',
  headers: { 'content-type': 'application/json' },
  body: '{"n":1}',
  bodyBytes: 7,
  missing: null,
  key: null,
  verdict: 'refused',
  executionId: null,
  refusal: {
    code: 'SIGNATURE_INVALID',
    detail: 'The signature of the request is missing or wrong.',
    reason: 'signature: the timestamp is 9 minutes old',
  },
  ...changes,
});
