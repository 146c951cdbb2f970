import type { Clock, Ids, Logger } from '../../contract/services.ts';
import { asksForRecords } from './note-outcome.ts';
import type { RefusalSlots } from './refusal-slots.ts';
import type { RecordRequest, RequestOutcome } from './request-outcome.ts';
import { passedPlace, refusedPlace } from './request-record.ts';
import type { RequestStore } from './request-store.ts';
import { toRequestRecord } from './to-request-record.ts';

interface RecordRequestParts {
  readonly store: Pick<RequestStore, 'put'>;
  readonly slots: RefusalSlots;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** How long a caller waits for the record. */
const DEADLINE_MS = 300;

/** Slots that are tried for one refused request. */
const MAX_TRIES = 2;

/** One write unit, with the key: see `fitRequest`. */
const SHORT_BYTES = 850;

/** Of a webhook that asks for records: the input of an execution that is made of one fits beside the execution's record. */
const LONG_BYTES = 6_500;

/**
 * Creates the function that records requests: refused ones within a bound per minute, which all processes share, any other one
 * at a place of its own. What fails, or takes too long, is logged, and no more refusals are tried for long.
 */
export const createRecordRequest = (parts: RecordRequestParts): RecordRequest => {
  const { slots, clock, logger } = parts;
  return async (outcome) => {
    const { workflowId, requestId, receivedAt } = outcome.request;
    const waiting = new AbortController();
    const tooLate = clock.sleep(DEADLINE_MS, waiting.signal).then(() => {
      throw new Error(`the store has not answered within ${DEADLINE_MS} ms`);
    });
    const write = outcome.verdict === 'refused' ? putRefused : putPassed;
    try {
      await Promise.race([write(outcome, parts), tooLate]);
    } catch (cause) {
      slots.miss(workflowId, receivedAt);
      logger.warn('The request is not recorded.', { workflowId, requestId, cause });
    } finally {
      waiting.abort();
    }
  };
};

const putRefused = async (outcome: RequestOutcome, { slots, store }: RecordRequestParts): Promise<void> => {
  const { workflowId, receivedAt } = outcome.request;
  let slot = slots.take(workflowId, receivedAt);
  if (slot === null) return;
  const record = await toRequestRecord(outcome, limitOf(outcome));
  for (let tries = 1; slot !== null; tries++) {
    if (await store.put({ ...record, place: refusedPlace(receivedAt, slot) })) return;
    slots.miss(workflowId, receivedAt);
    slot = tries < MAX_TRIES ? slots.take(workflowId, receivedAt) : null;
  }
};

const putPassed = async (outcome: RequestOutcome, { ids, store }: RecordRequestParts): Promise<void> => {
  const { requestId, receivedAt } = outcome.request;
  const record = await toRequestRecord(outcome, limitOf(outcome));
  await store.put({ ...record, place: passedPlace(receivedAt, requestId || ids.next()) });
};

const limitOf = (outcome: RequestOutcome): number => (asksForRecords(outcome) ? LONG_BYTES : SHORT_BYTES);
