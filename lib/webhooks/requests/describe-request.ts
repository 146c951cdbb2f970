import { REQUEST_NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { parseRecordId, type RequestRecord, type RequestRefusal, toRecordId } from './request-record.ts';
import type { RequestStore } from './request-store.ts';

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
  refusal: record.refusal === null ? null : { ...record.refusal, advice: adviseRefusal(record.refusal) },
});

export const describeRequest = (record: RequestRecord) => ({
  ...describeRequestSummary(record),
  query: record.query,
  headers: record.headers,
  body: record.body,
  bodyBytes: record.bodyBytes,
  missing: record.missing,
});

/** What to change, by refusal code; refusals without an entry are self-explanatory. */
const advice: Readonly<Partial<Record<ErrorCode, string>>> = {
  NOT_FOUND: "send to the path of one of the workflow's triggers, or enable the workflow and its trigger",
  METHOD_NOT_ALLOWED: "use one of the trigger's methods, or add this one to its `methods`",
  UNAUTHORIZED:
    "send the credential that the trigger's `credentialId` names; `credential rotate` creates a new secret",
  AUTHENTICATION_MISCONFIGURED: "create the credential that the trigger's `credentialId` names",
  SIGNATURE_INVALID:
    "compare the sender's secret with the credential of `signature`, and its clock and scheme with the trigger's",
  HANDSHAKE_REFUSED:
    "compare the sender's handshake request with `handshake`, and its token with the credential",
  AUTHORIZATION_MALFORMED: 'send the header `Authorization: Bearer TOKEN`, with one token',
  HANDSHAKE_UNANSWERED:
    'fix the expressions in the `answer` of `handshake`; if one gives nothing, the `reason` in the log names it',
  HANDSHAKE_UNCONFIRMED: 'see the `cause` in the log; the sender will retry',
  SENDER_KEYS_UNAVAILABLE:
    "check that the `jwksUrl` of `signature`, or the sender's certificate, is reachable",
  WEBHOOK_MISCONFIGURED: 'see the `cause` in the log, and store the workflow again',
  WEBHOOK_PAUSED: 'remove `paused` from the trigger',
  CALLER_NOT_ALLOWED: "add the sender's network to `allowFrom`",
  ORIGIN_NOT_ALLOWED: "add the page's origin to `cors`",
  BODY_TOO_LARGE: 'send less, or raise `maxBodyBytes`',
  BODY_INVALID: 'send a body that is valid for its content type',
  BODY_TOO_DEEP: 'send a body with less nesting',
  BODY_SCHEMA_MISMATCH: "send a body that matches the trigger's `schema`, or change the schema",
  FILTER_UNDECIDED: 'change `onlyIf` so that it is true or false for this request too',
  RATE_LIMITED: 'send fewer requests, or raise `rateLimit`',
  CONCURRENCY_LIMITED: 'send fewer requests at once, or raise `concurrency`',
  DELIVERY_KEY_REUSED: 'send a different body with a new key',
  WORKFLOW_INVALID: 'see the `cause` in the log, and store the workflow again',
};

/** What to change so that the next request is accepted; null if only time helps. */
const adviseRefusal = ({ code }: RequestRefusal): string | null =>
  Object.hasOwn(advice, code) ? (advice[code as ErrorCode] ?? null) : null;

/** @throws AppError `REQUEST_NOT_FOUND` | `STORE_UNAVAILABLE` */
export const findRequest = async (id: string, store: Pick<RequestStore, 'find'>): Promise<RequestRecord> => {
  const key = parseRecordId(id);
  const record = key === null ? null : await store.find(key.workflowId, key.place);
  if (record !== null) return record;
  throw new AppError(REQUEST_NOT_FOUND, { id: key === null ? 'with this id' : id });
};
