import type { ErrorCode } from '../../shared/errors.ts';
import type { RequestRefusal } from './request-record.ts';

/** What to change, by the code of the refusal; those that are not here say it themselves. */
const advice: Readonly<Partial<Record<ErrorCode, string>>> = {
  NOT_FOUND: "send to the path of one of the workflow's triggers, or enable the workflow and its trigger",
  METHOD_NOT_ALLOWED: 'send by a method of the trigger, or add this one to its `methods`',
  UNAUTHORIZED:
    "send the credential that the trigger's `credentialId` names; `credential rotate` makes another secret",
  AUTHENTICATION_MISCONFIGURED: "create the credential that the trigger's `credentialId` names",
  SIGNATURE_INVALID:
    "compare the sender's secret with the credential of `signature`, and its clock and scheme with the trigger's",
  HANDSHAKE_REFUSED:
    "compare what the sender's test says with `handshake`, and its token with the credential",
  AUTHORIZATION_MALFORMED: 'send the header `Authorization: Bearer TOKEN`, with one token',
  HANDSHAKE_UNANSWERED:
    'look at the `cause` in the log, and mend the expressions in the `answer` of `handshake`',
  HANDSHAKE_UNCONFIRMED: 'look at the `cause` in the log; the sender tries again',
  SENDER_KEYS_UNAVAILABLE:
    'look whether the `jwksUrl` of `signature`, or the certificate of the sender, can be reached',
  WEBHOOK_MISCONFIGURED: 'look at the `cause` in the log, and store the workflow again',
  WEBHOOK_PAUSED: 'take `paused` off the trigger',
  CALLER_NOT_ALLOWED: "add the sender's network to `allowFrom`",
  ORIGIN_NOT_ALLOWED: "add the page's origin to `cors`",
  BODY_TOO_LARGE: 'send less, or raise `maxBodyBytes`',
  BODY_INVALID: 'send a body that is what its content type says',
  BODY_TOO_DEEP: 'send a body that is nested less deeply',
  BODY_SCHEMA_MISMATCH: 'send what the `schema` of the trigger describes, or change it',
  FILTER_UNDECIDED: 'make `onlyIf` an expression that is true or false for this request, too',
  RATE_LIMITED: 'send fewer requests, or raise `rateLimit`',
  CONCURRENCY_LIMITED: 'send fewer requests at once, or raise `concurrency`',
  DELIVERY_KEY_REUSED: 'send another body under a key of its own',
  WORKFLOW_INVALID: 'look at the `cause` in the log, and store the workflow again',
};

/** Why a request was refused: `signature: the timestamp is 9 minutes old`, or the sentence that the caller got. */
export const explain = ({ detail, reason }: RequestRefusal): string => reason ?? detail;

/** What to change so that the next one is let in; null where only time helps. */
export const advise = ({ code }: RequestRefusal): string | null =>
  Object.hasOwn(advice, code) ? (advice[code as ErrorCode] ?? null) : null;
