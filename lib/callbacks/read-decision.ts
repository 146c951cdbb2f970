import { isPlainObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { AppError } from '../shared/errors.ts';

/** What a run that asked for approval is told. */
interface Decision extends JsonObject {
  readonly decision: 'approve' | 'reject';
  /** What came with it, without the decision itself. */
  readonly body: JsonObject;
  /** ISO 8601, UTC. */
  readonly decidedAt: string;
}

/**
 * Reads the body of an answer: a map with `decision`, and whatever else whoever decides wants to say.
 * @param now milliseconds since the epoch
 * @throws AppError `ANSWER_INVALID`
 */
export const readDecision = (body: JsonValue, now: number): Decision => {
  if (!isPlainObject(body)) throw new AppError('ANSWER_INVALID', { reason: 'it is no map' });
  const { decision, ...rest } = body as JsonObject;
  if (decision !== 'approve' && decision !== 'reject') {
    throw new AppError('ANSWER_INVALID', { reason: 'its "decision" is neither "approve" nor "reject"' });
  }
  return { decision, body: rest, decidedAt: new Date(now).toISOString() };
};
