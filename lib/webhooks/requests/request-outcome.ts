import { type AppError, type ErrorCode, isAppError, isRefusal } from '../../shared/errors.ts';
import { countStart, type Measuring, measure } from '../../shared/metrics.ts';
import { type DeliveryNotes, NO_WORKFLOW, type Webhook, type WebhookRequest } from '../webhook.ts';
import type { RequestRefusal, Verdict } from './request-record.ts';

/** What is known about a request, collected while it is processed. */
interface RequestNotes extends DeliveryNotes {
  readonly request?: WebhookRequest;
  readonly webhook?: Webhook;
  /** Headers with credentials that a feature checks, in lower case. */
  readonly secretHeaders?: readonly string[];
}

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
const toOutcome = (notes: RequestNotes, thrown?: unknown): RequestOutcome | null => {
  const { request, webhook = null, secretHeaders = [], key } = notes;
  if (request === undefined || (webhook === null && !isUnmatched(thrown))) return null;
  const executionId = notes.executionId ?? startedBefore(thrown);
  const hasWorkflow = webhook !== null || !isOfNoWorkflow(thrown);
  const about = { request, hasWorkflow, webhook, secretHeaders, key, executionId };
  if (executionId !== null) {
    const isDuplicate = notes.isDuplicate ?? true;
    return { ...about, verdict: isDuplicate ? 'duplicate' : 'started', refusal: null };
  }
  if (thrown === undefined)
    return { ...about, verdict: notes.isCaught === true ? 'caught' : 'skipped', refusal: null };
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
    ? { code: thrown.code, detail: thrown.message, reason: reasonOfRefusal(thrown) }
    : { code: 'INTERNAL', detail: 'Something failed on our side.', reason: null };

/** What the response does not contain: the reason, or what is misconfigured. */
const reasonOfRefusal = (error: AppError): string | null => {
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

/** Adds to what is known about the request. */
export type Note = (notes: RequestNotes) => void;

/** What the middleware adds to a call. */
export interface Noting {
  note: Note;
  notes: RequestNotes;
}

interface Passing {
  readonly event: Noting & {
    addLogFields(fields: Readonly<Record<string, string | number>> & Measuring): void;
  };
  readonly error: unknown;
}

/**
 * The middleware that records the outcome of requests: always of refused and caught ones, of all others if the webhook requests
 * it. For a request refused by a workflow, the log line gets the verdict and a metric; for one that started an execution, it
 * counts the start, and the outcome of an inline run.
 */
export const requestOutcomes = (record: RecordRequest) => {
  const settle = async ({ event: call, error }: Passing): Promise<void> => {
    const { notes } = call;
    const outcome = toOutcome(notes, error);
    call.notes = {}; // once, even if the answer turns out to be too large
    if (outcome === null) return;
    const { verdict, refusal, request, webhook } = outcome;
    const isRefused = refusal !== null;
    if (isRefused && outcome.hasWorkflow)
      call.addLogFields({
        workflowId: request.workflowId,
        verdict,
        code: refusal.code,
        ...measure({ values: { RefusedRequests: 1 }, by: 'code' }),
      });
    if (verdict === 'started')
      call.addLogFields(measure(countStart(webhook?.workflow.definition.settings?.metrics, notes.ended)));
    if (verdict === 'caught') call.addLogFields({ verdict });
    if (isRefused || isKeptWhole(outcome)) await record(outcome);
  };
  return {
    before: ({ event: call }: Passing): void => {
      Object.assign(call, { notes: {}, note: (more: RequestNotes) => void Object.assign(call.notes, more) });
    },
    after: settle,
    onError: settle,
  };
};

/** Whether the webhook records all its requests, or the request was caught as a test. */
export const isKeptWhole = ({ webhook, verdict }: Pick<RequestOutcome, 'webhook' | 'verdict'>): boolean =>
  verdict === 'caught' || webhook?.config.features?.recordRequests === true;
