import { isPlainObject, type JsonObject } from '../net/json.ts';

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

/** The dead-letter queue of a Scheduler or rule target. */
export const readDeadLetters = ({ DeadLetterConfig }: JsonObject): string | null =>
  isPlainObject(DeadLetterConfig) ? String(DeadLetterConfig.Arn) : null;
