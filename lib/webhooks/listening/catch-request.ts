import type { Clock } from '@hookloom/plugin-kit';
import { type Answer, answerJson } from '../../shared/answer.ts';
import { NOT_FOUND } from '../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../shared/errors.ts';
import type { Listening } from '../../workflows/definition/workflow-store.ts';
import type { Note } from '../requests/request-outcome.ts';
import { passedPlace } from '../requests/request-record.ts';
import { toRequestRecord } from '../requests/to-request-record.ts';
import type { Webhook, WebhookRequest } from '../webhook.ts';
import { END_KEPT_MS, type ListeningStore } from './listening-store.ts';

/** A request that has passed every check, to a workflow that listens or did. */
interface CheckedRequest {
  readonly request: WebhookRequest;
  readonly webhook: Webhook;
  /** Names, in lower case, of headers with a credential. */
  readonly secretHeaders: readonly string[];
  /** Whether it starts the run of an upload, which is never caught. */
  readonly isOfUpload: boolean;
  readonly note: Note;
}

/**
 * Catches a request as a test if its trigger listens for one.
 *
 * @returns the answer to the caller; null for a request that is not caught, which is then processed as usual
 * @throws AppError `NOT_FOUND` for a request to a disabled workflow that is not caught, `STORE_UNAVAILABLE`
 */
export type CatchRequest = (checked: CheckedRequest) => Promise<Answer | null>;

interface CatchParts {
  readonly store: Pick<ListeningStore, 'end'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Bytes of the caught request, compressed: with its key, it fits into one item of the store. */
const MAX_BYTES = 300_000;

/** Of concurrent requests, the one whose write ends the listening is caught: the write has the request itself. */
export const createCatchRequest = ({ store, clock }: CatchParts): CatchRequest => {
  // By the objects of cached workflows, so that one process tries in vain once per read of the workflow.
  const ended = new WeakSet<Listening>();

  return async ({ request, webhook, secretHeaders, isOfUpload, note }) => {
    const { listening } = webhook.workflow;
    const isAwaited =
      listening !== undefined &&
      listening.triggerNodeId === webhook.config.triggerNodeId &&
      listening.until > clock.now() &&
      !isOfUpload &&
      !ended.has(listening);
    if (isAwaited) {
      const { id, until } = listening;
      const { workflowId, receivedAt, requestId } = request;
      const about = { request, webhook, secretHeaders, hasWorkflow: true, key: undefined };
      const outcome = { ...about, verdict: 'caught' as const, executionId: null, refusal: null };
      const place = passedPlace(receivedAt, requestId || id);
      const record = { ...(await toRequestRecord(outcome, MAX_BYTES)), place };
      if (await store.end(workflowId, id, { request: record }, until + END_KEPT_MS)) {
        note({ isCaught: true });
        return answerJson(202, { caught: true, workflowId, detail: CAUGHT });
      }
      ended.add(listening);
    }
    if (webhook.isDisabled) throw new AppError(NOT_FOUND, {}, new Refusal('workflow: it is disabled'));
    return null;
  };
};

const CAUGHT = 'This request was caught as a test. It started nothing; the next one is processed as usual.';
