/** The statuses whose `Retry-After` says when to try again: RFC 6585 §4, RFC 9110 §15.6.4. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** Matches a date as senders must write it (RFC 9110 §5.6.7), or with the obsolete long day names. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, [\w -]{9,11} \d\d:\d\d:\d\d GMT$/;

/**
 * Reads `Retry-After` (RFC 9110 §10.2.3): seconds or a date.
 *
 * @param now - milliseconds since the epoch
 * @returns milliseconds from now; undefined if there is none
 */
export const readRetryAfter = (
  status: number,
  { 'retry-after': value = '' }: Readonly<Record<string, string>>,
  now: number,
): number | undefined => {
  if (!WITH_RETRY_AFTER.has(status)) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
};
