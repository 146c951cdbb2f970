import { type AppError, type ErrorCode, isAppError } from '../../shared/errors.ts';
import { isRefusal } from '../../shared/refusal.ts';
import type { DeliveryNotes } from '../run-webhook.ts';
import { NO_WORKFLOW, type Webhook } from '../webhook.ts';
import type { WebhookRequest } from '../webhook-request.ts';
import type { RequestRefusal, Verdict } from './request-record.ts';

/** What is known of a request, noted on its way. */
export interface RequestNotes extends DeliveryNotes {
  readonly request?: WebhookRequest;
  readonly webhook?: Webhook;
  /** Headers with credentials that a feature checks, in lower case. */
  readonly secretHeaders?: readonly string[];
}

/** What became of a request. */
export interface RequestOutcome {
  readonly request: WebhookRequest;
  /** False when no workflow has the id that it asks for, which may then be a misplaced secret. */
  readonly hasWorkflow: boolean;
  /** Null when no trigger of the workflow has its address. */
  readonly webhook: Webhook | null;
  readonly secretHeaders: readonly string[];
  /** Undefined as long as it was not looked for. */
  readonly key: string | null | undefined;
  readonly verdict: Verdict;
  readonly executionId: string | null;
  readonly refusal: RequestRefusal | null;
}

/** Records a request that has a workflow. Never throws, and takes no longer than a caller may be kept waiting for it. */
export type RecordRequest = (outcome: RequestOutcome) => Promise<void>;

/**
 * The outcome of a request that was answered, or refused with an error.
 *
 * @param thrown - undefined for an answer
 * @returns null for a request whose workflow was not looked for, or could not be read
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

/** The execution of an earlier delivery, where that is why there is no answer. */
const startedBefore = (thrown: unknown): string | null =>
  isAppError(thrown, 'ALREADY_STARTED') ? thrown.parameters.executionId : null;

const toRefusal = (thrown: unknown): RequestRefusal =>
  isAppError(thrown)
    ? { code: thrown.code, detail: thrown.message, reason: reasonOf(thrown) }
    : { code: 'INTERNAL', detail: 'Something failed on our side.', reason: null };

/** What the answer does not say: the reason, or of a webhook that is set up wrongly, what is wrong about it. */
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
