import { type AppError, type ErrorCode, isAppError, isRefusal } from '../../shared/errors.ts';
import { type DeliveryNotes, NO_WORKFLOW, type Webhook, type WebhookRequest } from '../webhook.ts';
import type { RequestRefusal, Verdict } from './request-record.ts';

/** What is known about a request, collected while it is processed. */
export interface RequestNotes extends DeliveryNotes {
  readonly request?: WebhookRequest;
  readonly webhook?: Webhook;
  /** Headers with credentials that a feature checks, in lower case. */
  readonly secretHeaders?: readonly string[];
}

/** The outcome of a request. */
export interface RequestOutcome {
  readonly request: WebhookRequest;
  /** Whether the requested id is a workflow's; if not, it may be a misplaced secret. */
  readonly hasWorkflow: boolean;
  /** The webhook of the request; null if no trigger of the workflow has this path and method. */
  readonly webhook: Webhook | null;
  readonly secretHeaders: readonly string[];
  /** The delivery key; undefined if it has not been determined yet. */
  readonly key: string | null | undefined;
  readonly verdict: Verdict;
  readonly executionId: string | null;
  readonly refusal: RequestRefusal | null;
}

/** Records a request. Never throws, and takes no longer than a caller may be kept waiting. */
export type RecordRequest = (outcome: RequestOutcome) => Promise<void>;

/**
 * The outcome of a request that was answered or refused with an error.
 *
 * @param thrown - undefined for an answer
 * @returns null if the workflow was not looked up or could not be read
 */
export const toOutcome = (notes: RequestNotes, thrown?: unknown): RequestOutcome | null => {
  const { request, webhook = null, secretHeaders = [], key } = notes;
  if (request === undefined || (webhook === null && !isUnmatched(thrown))) return null;
  const executionId = notes.executionId ?? startedBefore(thrown);
  const hasWorkflow = webhook !== null || !isOfNoWorkflow(thrown);
  const about = { request, hasWorkflow, webhook, secretHeaders, key, executionId };
  if (executionId !== null) {
    const isDuplicate = notes.isDuplicate ?? true;
    return { ...about, verdict: isDuplicate ? 'duplicate' : 'started', refusal: null };
  }
  if (thrown === undefined) return { ...about, verdict: 'skipped', refusal: null };
  return { ...about, verdict: 'refused', refusal: toRefusal(thrown) };
};

const isUnmatched = (thrown: unknown): boolean =>
  isAppError(thrown, 'METHOD_NOT_ALLOWED') || isAppError(thrown, 'NOT_FOUND');

const isOfNoWorkflow = (thrown: unknown): boolean =>
  isAppError(thrown) && isRefusal(thrown.cause) && thrown.cause.message === NO_WORKFLOW;

/** The execution of an earlier delivery, if that is the reason for the error. */
const startedBefore = (thrown: unknown): string | null =>
  isAppError(thrown, 'ALREADY_STARTED') ? thrown.parameters.executionId : null;

const toRefusal = (thrown: unknown): RequestRefusal =>
  isAppError(thrown)
    ? { code: thrown.code, detail: thrown.message, reason: reasonOf(thrown) }
    : { code: 'INTERNAL', detail: 'Something failed on our side.', reason: null };

/** What the response does not contain: the reason, or what is misconfigured. */
const reasonOf = (error: AppError): string | null => {
  if (isAppError(error, 'BODY_SCHEMA_MISMATCH')) {
    const [first] = error.parameters.errors;
    return first === undefined ? null : `schema: ${first.pointer}: ${first.detail}`;
  }
  const { cause } = error;
  const isOfOperator = OF_OPERATOR.has(error.code) && cause instanceof Error;
  return isRefusal(cause) || isOfOperator ? cause.message : null;
};

const OF_OPERATOR: ReadonlySet<ErrorCode> = new Set([
  'AUTHENTICATION_MISCONFIGURED',
  'WEBHOOK_MISCONFIGURED',
]);
