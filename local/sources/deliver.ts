import { randomUUID } from 'node:crypto';
import { isPlainObject, type JsonObject } from '../net/json.ts';
import type { ProcessPool } from '../pool/process-pool.ts';

/** Where an event comes from. */
interface Origin {
  /** Name of the source in the log. */
  readonly label: string;
  /** ARN of the schedule or the rule. */
  readonly arn: string;
  /** The target as registered: what to invoke, with which role, and where undeliverable events go. */
  readonly target: JsonObject;
}

/** Invokes the function that receives events, with retries. Resolves when it succeeded or the retries are exhausted. */
export type Deliver = (event: JsonObject, origin: Origin) => Promise<void>;

/** Puts an undeliverable event into a queue. */
type Bury = (queueArn: string, event: JsonObject) => void;

/** Name of the function that receives events. */
export const DISPATCH = 'dispatch';

const ATTEMPTS = 3;
const FIRST_RETRY_MS = 1_000;

export const createDeliver =
  (pool: Pick<ProcessPool, 'invoke'>, bury: Bury, log: (line: string) => void): Deliver =>
  async (event, { label, target }) => {
    const deadLetters = readDeadLetters(target);
    for (let attempt = 1; ; attempt++) {
      try {
        await pool.invoke({ functionKey: DISPATCH, event, requestId: randomUUID() });
        return;
      } catch (error) {
        if (attempt < ATTEMPTS) await pause(FIRST_RETRY_MS * 2 ** (attempt - 1));
        else {
          if (deadLetters !== null) bury(deadLetters, event);
          return log(`${label}: gave up after ${ATTEMPTS} attempts: ${(error as Error).message}`);
        }
      }
    }
  };

/** The dead-letter queue of a Scheduler or rule target. */
export const readDeadLetters = ({ DeadLetterConfig }: JsonObject): string | null =>
  isPlainObject(DeadLetterConfig) ? String(DeadLetterConfig.Arn) : null;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
