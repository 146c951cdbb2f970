import { advise } from './advise.ts';
import { type RequestRecord, toRecordId } from './request-record.ts';

/** A recorded request as lists show it. */
export const describeRequestSummary = (record: RequestRecord) => ({
  id: toRecordId(record),
  requestId: record.requestId,
  workflowId: record.workflowId,
  receivedAt: new Date(record.receivedAt).toISOString(),
  sender: record.sender,
  method: record.method,
  path: record.path,
  key: record.key,
  verdict: record.verdict,
  executionId: record.executionId,
  refusal: record.refusal === null ? null : { ...record.refusal, advice: advise(record.refusal) },
});

/** Everything recorded about a request. */
export const describeRequest = (record: RequestRecord) => ({
  ...describeRequestSummary(record),
  query: record.query,
  headers: record.headers,
  body: record.body,
  bodyBytes: record.bodyBytes,
  missing: record.missing,
});
