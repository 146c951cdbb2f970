import type { Clock, Ids, Logger } from '@hookloom/plugin-kit';
import { isKeptWhole, type RecordRequest, type RequestOutcome } from './request-outcome.ts';
import { passedPlace, type RequestRecord, refusedPlace, toMinute } from './request-record.ts';
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

/** How many slots are tried per refused request. */
const MAX_TRIES = 2;

/** Bytes of a record that costs one write unit, including the key: see `fitRequest`. */
const SHORT_BYTES = 850;

/**
 * Bytes of a body kept for webhooks that record all requests, and of a caught request: the input of an execution built from the record still
 * fits into the execution's record.
 */
const LONG_BYTES = 6_500;

/** The key of the per-minute limit shared by all requests that are not found; no workflow has this id. */
const NOT_FOUND = '*';

/** Workflows with a not-found request waiting to be recorded. */
const MAX_WAITING = 100;

/**
 * Creates the function that records requests: refused ones within a per-minute limit shared by all processes, every
 * other one at its own place. Failures and timeouts are logged; after a few, no more refusals are recorded in that
 * minute.
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
      throw new Error(`the store did not respond within ${DEADLINE_MS} ms`);
    });
    const putFound = outcome.verdict === 'refused' ? putRefused : putPassed;
    const write = isFound ? putFound : putNotFound;
    try {
      await Promise.race([write(outcome, parts), tooLate]);
    } catch (cause) {
      slots.miss(bound, receivedAt);
      const place = outcome.hasWorkflow ? { workflowId } : {};
      logger.warn('The request was not recorded.', { ...place, requestId, cause });
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
 * Each not-found request makes one write, within one limit per process, whether or not its workflow exists: otherwise
 * response times would reveal which ids do. If no record of an existing workflow is waiting, the write stores only
 * filler. A request beyond the limit waits in memory, one per workflow, and takes the write of a later request: a flood
 * of requests to unknown ids delays the records of workflows, but suppresses none.
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
    // A later request makes the second try: two writes would reveal as much as none.
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

const limitOf = (outcome: RequestOutcome): number => (isKeptWhole(outcome) ? LONG_BYTES : SHORT_BYTES);

/** Refused requests recorded per workflow and minute, by all processes together. */
const SLOTS_PER_MINUTE = 60;

/**
 * How many failed writes stop a process from recording refusals of a workflow in a minute: other processes have taken
 * the slots.
 */
const MAX_MISSES = 4;

interface Minute {
  /** Slots that this process has taken or found taken. */
  readonly known: Set<number>;
  misses: number;
}

type RefusalSlots = ReturnType<typeof createRefusalSlots>;

/**
 * Chooses slots that are most likely free: it skips those that this process knows, and processes start at different
 * ones. So a refusal costs one write, and a flood soon none. A workflow id may be any name with its own limit.
 *
 * @param chooseFirst - returns a random whole number below its argument
 */
export const createRefusalSlots = (chooseFirst: (limit: number) => number) => {
  let current = '';
  let minutes = new Map<string, Minute>();

  const minuteOf = (workflowId: string, receivedAt: number): Minute => {
    const name = toMinute(receivedAt);
    // A request received earlier counts in the current minute, so that out-of-order requests never start a minute
    // twice.
    if (name > current) {
      current = name;
      minutes = new Map();
    }
    const minute = minutes.get(workflowId) ?? { known: new Set(), misses: 0 };
    minutes.set(workflowId, minute);
    return minute;
  };

  return {
    /** @returns a slot that may be free and is not returned again in this minute; null if there are none left */
    take: (workflowId: string, receivedAt: number): number | null => {
      const { known, misses } = minuteOf(workflowId, receivedAt);
      if (misses >= MAX_MISSES || known.size >= SLOTS_PER_MINUTE) return null;
      let slot = chooseFirst(SLOTS_PER_MINUTE);
      while (known.has(slot)) slot = (slot + 1) % SLOTS_PER_MINUTE;
      known.add(slot);
      return slot;
    },
    /** Reports that the slot could not be written. */
    miss: (workflowId: string, receivedAt: number): void => {
      minuteOf(workflowId, receivedAt).misses += 1;
    },
  };
};
