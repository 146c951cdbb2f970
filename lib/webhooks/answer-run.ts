import {
  isPlainObject,
  isReservedHeader,
  isToken,
  type JsonObject,
  type JsonValue,
} from '@hookloom/plugin-kit';
import type { ExecutionResult } from '../engine/result.ts';
import type { ExecutionStatus } from '../executions/record/execution-store.ts';
import { type Answer, answerJson, EXECUTION_ID_HEADER } from '../shared/answer.ts';
import {
  EXECUTION_FAILED,
  EXECUTION_TIMED_OUT,
  NO_RESPONSE,
  RESPONSE_INVALID,
} from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import type { ResponseMode } from '../workflows/definition/path-config.ts';

/** Header of an answer, or of a problem, to a repeated delivery. */
export const DUPLICATE = { 'hookloom-duplicate': 'true' } as const;

export interface Accepted {
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: ExecutionStatus;
  readonly isDuplicate: boolean;
}

/** 202: the execution is stored and guaranteed to run; `status` is its current status. */
export const answerAccepted = ({ executionId, workflowId, status, isDuplicate }: Accepted): Answer => {
  const body = { executionId, workflowId, status, ...(isDuplicate ? { duplicate: true } : {}) };
  return { ...answerJson(202, body), executionId };
};

export const markDuplicate = (answer: Answer): Answer => withHeaders(answer, DUPLICATE);

export const withHeaders = (answer: Answer, headers: Answer['headers']): Answer => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

/**
 * Answers a synchronous run. With `responseNode`, a response that a node emitted is sent even if the run fails
 * afterwards; otherwise a failed run never gets a success response.
 *
 * @throws AppError `EXECUTION_FAILED` | `EXECUTION_TIMED_OUT` | `NO_RESPONSE` | `RESPONSE_INVALID`
 */
export const answerRun = (executionId: string, result: ExecutionResult, mode: ResponseMode): Answer => {
  const { status, output, response } = result;
  if (mode === 'responseNode' && response !== null)
    return nameExecution(executionId, answerWithResponse(executionId, response));
  if (status === 'timedOut') throw new AppError(EXECUTION_TIMED_OUT, { executionId });
  if (status === 'failed') throw new AppError(EXECUTION_FAILED, { executionId });
  if (mode === 'responseNode') throw new AppError(NO_RESPONSE, { executionId });
  return nameExecution(executionId, answerJson(200, output));
};

/** Adds the execution id, for the caller and the log. */
export const nameExecution = (executionId: string, answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, [EXECUTION_ID_HEADER]: executionId },
  executionId,
});

/** Statuses that never have a body: RFC 9110 §6.4.1, §15.3.6. */
const STATUSES_WITHOUT_BODY = [204, 205, 304];

/**
 * Media types that browsers display without running scripts on the origin; HTML, the first, needs a sandbox for that.
 * The whole value must match: given several types in one header, browsers use the last one, and their handling of
 * malformed ones varies.
 */
const SHOWN =
  /^(?:(text\/html)|text\/(?:plain|csv|markdown)|application\/(?:([\w.-]+\+)?json|x-ndjson|pdf)|(?:image|audio|video)\/(?:png|jpeg|gif|webp|avif|mpeg|mp4|ogg|wav|webm))(\s*;\s*[\w-]+=([\w.+-]+|"[\w .+-]*"))*$/i;

/**
 * Turns what a node emitted on its output `response`, `{ status, headers, body }`, into an answer. Any plugin can emit
 * there, so every field is validated. A string body is sent as is, any other as JSON. Since all answers share their
 * origin with the whole API, HTML is sandboxed, and types that are not allow-listed are sandboxed and sent as
 * attachments.
 *
 * @throws AppError `RESPONSE_INVALID`
 */
export const answerWithResponse = (executionId: string, response: JsonObject): Answer => {
  const refuse = (reason: string): never => {
    throw new AppError(RESPONSE_INVALID, { executionId, reason });
  };
  const { status = 200, headers = {}, body = null } = response;
  if (!isStatus(status)) return refuse('its status must be an integer from 200 to 599');
  if (!isPlainObject(headers)) return refuse('its headers must be a JSON object');
  const ownHeaders = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (!isToken(name)) return refuse('one of its header names is not valid in HTTP');
    if (!isHeaderValue(value)) return refuse(`the value of its header ${name} is not valid in HTTP`);
    if (!isReservedHeader(name)) ownHeaders.set(name.toLowerCase(), String(value));
  }
  if (STATUSES_WITHOUT_BODY.includes(status) || body === null) {
    return { status, headers: containContent(ownHeaders), body: null };
  }
  if (!ownHeaders.get('content-type')) ownHeaders.set('content-type', contentTypeOf(body));
  return {
    status,
    headers: containContent(ownHeaders),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
};

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 599;

/** RFC 9110 §5.5: visible characters, spaces and tabs. A line break would start another header. */
const isHeaderValue = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && /^[\t\x20-\x7e]*$/.test(String(value));

const contentTypeOf = (body: JsonValue): string =>
  typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';

/** Prevents content from running scripts on the origin. Policies add up: the workflow's own policy stays in force. */
const containContent = (headers: Map<string, string>): Record<string, string> => {
  const { 'content-type': type, ...own } = Object.fromEntries(headers);
  if (type === undefined) return own;
  const { 'content-security-policy': policy, 'content-disposition': disposition = '' } = own;
  const [shown, html] = SHOWN.exec(type.trim()) ?? [];
  if (shown === undefined || html !== undefined)
    own['content-security-policy'] = policy ? `${policy}, sandbox` : 'sandbox';
  if (shown === undefined) own['content-disposition'] = disposition.replace(/^[^;]*/, 'attachment');
  return { 'content-type': type, ...own };
};

/** Preferences of a caller (RFC 7240). */
interface Preferences {
  /** Whether the caller prefers `respond-async`: an answer at once, without the result. */
  readonly isAsync: boolean;
  /** Seconds that the caller prefers to wait for the result (`wait=N`); null when absent. */
  readonly waitSeconds: number | null;
}

/** Reads the header `Prefer`. Ignores unknown and malformed preferences, as RFC 7240 §2 requires. */
export const readPreferences = (header?: string): Preferences => {
  if (header === undefined) return { isAsync: false, waitSeconds: null };
  const preferences = header.split(',').map((text) => (text.split(';')[0] ?? '').trim().toLowerCase());
  const wait = preferences
    .map((text) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(text)?.[1])
    .find((seconds) => seconds !== undefined);
  return {
    isAsync: preferences.includes('respond-async'),
    waitSeconds: wait === undefined ? null : Number(wait),
  };
};
