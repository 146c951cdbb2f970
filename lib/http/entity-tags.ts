import type { Answer } from '../shared/answer.ts';
import { PRECONDITION_FAILED, REQUEST_INVALID } from '../shared/error-catalogue.ts';
import { AppError } from '../shared/errors.ts';
import { readWebhookEvent } from './read-webhook-event.ts';

/** Adds the entity tag of a resource, which is the number of its version (RFC 9110 §8.8.3). */
export const withTag = <Given extends Answer>(answer: Given, version: number): Given => ({
  ...answer,
  headers: { ...answer.headers, etag: `"${version}"` },
});

/** What a write is about, and its current version; null if there is none. */
interface Replaced {
  /** In messages: `workflow greeting`. */
  readonly resource: string;
  readonly currentVersion: number | null;
}

/**
 * The version that a request wants to replace, from `If-Match` and `If-None-Match` (RFC 9110 §13.1).
 *
 * @param now - milliseconds since the epoch
 * @returns null if there must be none; undefined without a condition
 * @throws AppError `PRECONDITION_FAILED`, or `REQUEST_INVALID` for an `If-None-Match` other than `*`
 */
export const checkPrecondition = (
  event: unknown,
  replaced: Replaced,
  now: number,
): number | null | undefined => {
  const { 'if-match': match, 'if-none-match': noneMatch } = readWebhookEvent(event, now).headers;
  const { currentVersion } = replaced;
  const fail = () => new AppError(PRECONDITION_FAILED, replaced);
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw new AppError(REQUEST_INVALID, { reason: 'for a write, If-None-Match must be *' });
    if (match !== undefined)
      throw new AppError(REQUEST_INVALID, { reason: 'If-Match and If-None-Match exclude each other' });
    if (currentVersion !== null) throw fail();
    return null;
  }
  if (match === undefined) return undefined;
  if (currentVersion === null) throw fail();
  const tags = match.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(`"${currentVersion}"`)) throw fail();
  return currentVersion;
};
