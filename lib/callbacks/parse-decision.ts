import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { ANSWER_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';

/** The result of an approval callback. */
export interface Decision extends JsonObject {
  readonly decision: 'approve' | 'reject';
  /** The other fields of the answer. */
  readonly body: JsonObject;
  /** When the decision was made; ISO 8601, UTC. */
  readonly decidedAt: string;
}

/**
 * Parses the answer to a callback: an object with `decision` and any other fields.
 *
 * @param now - milliseconds since the epoch
 * @throws AppError `ANSWER_INVALID`
 */
export const parseDecision = (body: JsonValue, now: number): Decision => {
  if (!isPlainObject(body)) throw new AppError(ANSWER_INVALID, { reason: 'it must be a JSON object' });
  const { decision, ...rest } = body as JsonObject;
  if (decision !== 'approve' && decision !== 'reject') {
    throw new AppError(ANSWER_INVALID, { reason: 'its "decision" must be "approve" or "reject"' });
  }
  return { decision, body: rest, decidedAt: new Date(now).toISOString() };
};
