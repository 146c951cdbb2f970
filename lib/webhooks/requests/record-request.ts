import type { Clock, Ids, Logger } from '@hookloom/plugin-kit';
import { asksForRecords } from './note-outcome.ts';
import type { RefusalSlots } from './refusal-slots.ts';
import type { RecordRequest, RequestOutcome } from './request-outcome.ts';
import { passedPlace, type RequestRecord, refusedPlace } from './request-record.ts';
import type { RequestStore } from './request-store.ts';
import { toRequestRecord } from './to-request-record.ts';

interface RecordRequestParts {
  readonly store: Pick<RequestStore, 'put' | 'fill'>;
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

/** The bound per minute of requests that are not found, whatever they ask for; no workflow has this id. */
const NOT_FOUND = '*';

/** Workflows of which a request that was not found waits to be recorded. */
const MAX_WAITING = 100;

/**
 * Creates the function that records requests: refused ones within a bound per minute, which all processes share, any other one
 * at a place of its own. What fails, or takes too long, is logged, and no more refusals are tried for long.
 */
export const createRecordRequest = (parts: RecordRequestParts): RecordRequest => {
  const { slots, clock, logger } = parts;
  const putNotFound = createPutNotFound(parts);
  return async (outcome) => {
    const { workflowId, requestId, receivedAt } = outcome.request;
    const isFound = outcome.webhook !== null || outcome.refusal?.code !== 'NOT_FOUND';
    const bound = isFound ? workflowId : NOT_FOUND;
    const waiting = new AbortController();
    const tooLate = clock.sleep(DEADLINE_MS, waiting.signal).then(() => {
      throw new Error(`the store has not answered within ${DEADLINE_MS} ms`);
    });
    const putFound = outcome.verdict === 'refused' ? putRefused : putPassed;
    const write = isFound ? putFound : putNotFound;
    try {
      await Promise.race([write(outcome, parts), tooLate]);
    } catch (cause) {
      slots.miss(bound, receivedAt);
      logger.warn('The request is not recorded.', {
        ...(outcome.hasWorkflow ? { workflowId } : {}),
        requestId,
        cause,
      });
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

/**
 * Requests that are not found make one write each, within one bound for all of a process, whether their workflow exists or not:
 * else the time of an answer would tell which ids do. A write that no request of a workflow needs keeps nothing. A request whose
 * write is beyond the bound waits in memory, one of each workflow, and is written in place of a later one: a flood at ids that do
 * not exist delays records of workflows, and keeps none of them out.
 */
const createPutNotFound = ({ slots, store }: RecordRequestParts) => {
  const waiting = new Map<string, RequestRecord>();

  const wait = (record: Omit<RequestRecord, 'place'>): void => {
    const { workflowId, receivedAt } = record;
    if (waiting.has(workflowId) || waiting.size >= MAX_WAITING) return;
    const slot = slots.take(workflowId, receivedAt);
    if (slot !== null) waiting.set(workflowId, { ...record, place: refusedPlace(receivedAt, slot) });
  };

  return async (outcome: RequestOutcome): Promise<void> => {
    const { receivedAt } = outcome.request;
    const record = await toRequestRecord(outcome, SHORT_BYTES);
    if (outcome.hasWorkflow) wait(record);
    const turn = slots.take(NOT_FOUND, receivedAt);
    if (turn === null) return;
    const [next] = waiting.values();
    if (next === undefined) {
      await store.fill({ ...record, workflowId: NOT_FOUND, place: String(turn) });
      return;
    }
    waiting.delete(next.workflowId);
    // The second try is made by a later request: two writes would tell as much as none.
    if (await store.put(next)) return;
    slots.miss(next.workflowId, receivedAt);
    wait(next);
  };
};

const putPassed = async (outcome: RequestOutcome, { ids, store }: RecordRequestParts): Promise<void> => {
  const { requestId, receivedAt } = outcome.request;
  const record = await toRequestRecord(outcome, limitOf(outcome));
  await store.put({ ...record, place: passedPlace(receivedAt, requestId || ids.next()) });
};

const limitOf = (outcome: RequestOutcome): number => (asksForRecords(outcome) ? LONG_BYTES : SHORT_BYTES);
