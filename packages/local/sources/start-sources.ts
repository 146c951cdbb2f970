import { randomUUID } from 'node:crypto';
import type { JsonObject } from 'lambda-stage/net';
import type { ProcessPool } from 'lambda-stage/pool';
import {
  createQueues,
  type Deliver,
  type DeliverBatch,
  openSourcesStore,
  readDeadLetters,
  readFailures,
  type ScheduleClock,
  type Sources,
  serveSources,
} from 'lambda-stage/sources';
import { OLDEST_VERSION, SCHEMA_VERSION } from '../../../lib/adapters/dynamodb/schema/schema.ts';

interface Settings {
  /** File that stores the state; null to keep it in memory. */
  readonly file: string | null;
  readonly pool: Pick<ProcessPool, 'invoke'>;
  readonly log: (line: string) => void;
  /** The machine's by default. */
  readonly clock?: ScheduleClock | undefined;
}

/** Of the file with the sources' state. */
const FILE_VERSIONS = { oldest: OLDEST_VERSION, newest: SCHEMA_VERSION };

/** The function that receives the events of all sources. */
const DISPATCH = 'dispatch';

/** Starts the trigger sources on this machine: a clock for schedules, an event bus, queues, and their APIs. */
export const startSources = async ({ file, pool, log, clock }: Settings): Promise<Sources> => {
  const store = openSourcesStore(file, FILE_VERSIONS);
  const queues = createQueues(store, createDeliverBatch(pool), log);
  return serveSources(store, queues, createDeliver(pool, queues.bury, log), clock);
};

const createDeliverBatch =
  (pool: Pick<ProcessPool, 'invoke'>): DeliverBatch =>
  async (event, messageIds) => {
    try {
      const answer = await pool.invoke({ functionKey: DISPATCH, event, requestId: randomUUID() });
      return readFailures(answer as JsonObject);
    } catch {
      return messageIds;
    }
  };

/** Puts an undeliverable event into a queue. */
type Bury = (queueArn: string, event: JsonObject) => void;

const ATTEMPTS = 3;
const FIRST_RETRY_MS = 1_000;

/** @internal */
export const createDeliver =
  (pool: Pick<ProcessPool, 'invoke'>, bury: Bury, log: (line: string) => void): Deliver =>
  async (event, { label, target }) => {
    const deadLetters = readDeadLetters(target);
    for (let attempt = 1; ; attempt++) {
      try {
        await pool.invoke({ functionKey: DISPATCH, event, requestId: randomUUID() });
        return;
      } catch (error) {
        if (attempt < ATTEMPTS) await pauseFor(FIRST_RETRY_MS * 2 ** (attempt - 1));
        else {
          if (deadLetters !== null) bury(deadLetters, event);
          return log(`${label}: gave up after ${ATTEMPTS} attempts: ${(error as Error).message}`);
        }
      }
    }
  };

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
