import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import type { Ports } from '../executions/ports.ts';
import {
  type AnsweredCallback,
  type ExecutionRecord,
  isFinal,
  type PendingCallback,
} from '../executions/record/execution-store.ts';
import { ANSWER_INVALID, CALLBACK_GONE, CALLBACK_NOT_FOUND } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { hasValidSignature, parseToken } from './callback-token.ts';

/** A pending callback and the execution that waits for it. */
export interface FoundCallback {
  readonly execution: ExecutionRecord;
  readonly callback: PendingCallback;
  /** The name under which the callback was opened: see `CallbackUrls.open`. */
  readonly name: string;
}

/**
 * @param text - the token of a callback URL
 * @throws AppError `CALLBACK_NOT_FOUND` when its signature is invalid or no such callback is pending, `CALLBACK_GONE`
 *   when it has expired or the execution has finished, `STORE_UNAVAILABLE`
 */
export const findPendingCallback = async (
  text: string,
  { executions, clock }: Pick<Ports, 'executions' | 'clock'>,
): Promise<FoundCallback> => {
  const token = parseToken(text);
  const data = token === null ? null : await executions.findData(token.executionId);
  const key = data?.callbackKey ?? null;
  if (token === null || key === null || !hasValidSignature(text, key)) {
    throw new AppError(CALLBACK_NOT_FOUND, {});
  }
  const execution = await executions.find(token.executionId);
  if (execution === null) throw new AppError(CALLBACK_NOT_FOUND, {});
  const callback = await executions.findCallback(token.executionId, token.name);
  // A question asked again under this name has more time than the URL says.
  const { expiresAt } = callback ?? token;
  if (expiresAt <= clock.now()) {
    const time = new Date(expiresAt).toISOString();
    throw new AppError(CALLBACK_GONE, { reason: `The deadline for an answer was ${time}.` });
  }
  if (callback?.answered !== undefined) throw answeredAlready(callback.answered);
  if (isFinal(execution.status))
    throw new AppError(CALLBACK_GONE, { reason: 'The execution that requested it has ended.' });
  if (callback === null) throw new AppError(CALLBACK_NOT_FOUND, {});
  return { execution, callback, name: token.name };
};

/** Returns the error for a late answer: another one was accepted, or it has expired. */
export const answeredAlready = (answered: AnsweredCallback | undefined): AppError => {
  if (answered === undefined)
    return new AppError(CALLBACK_GONE, { reason: 'It was already answered or has expired.' });
  const word = answered.decision === 'approve' ? 'approved' : 'rejected';
  const time = new Date(answered.at).toISOString();
  return new AppError(CALLBACK_GONE, { reason: `It was already ${word}, at ${time}.` });
};

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
