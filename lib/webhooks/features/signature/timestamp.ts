import { Refusal } from '../../../shared/errors.ts';
import { DEFAULT_TOLERANCE_SECONDS } from './schemes.ts';

/** Timestamps from here on are in milliseconds: in seconds, this is the year 5138. */
const FIRST_IN_MILLISECONDS = 1e11;

/** Matches an RFC 3339 time, as senders write it. */
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Checks that a request was signed recently, so that it can't be replayed later.
 *
 * @param text - seconds or milliseconds since the epoch, or ISO 8601
 * @param now - milliseconds since the epoch
 * @throws Refusal when it was not
 */
export const checkTimestamp = (
  text: string,
  now: number,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: { readonly toleranceSeconds?: number },
): void => {
  const time = toTime(text);
  if (Number.isNaN(time)) throw new Refusal('the timestamp is not a valid time');
  const seconds = Math.floor(Math.abs(now - time) / 1_000);
  if (seconds <= toleranceSeconds) return;
  throw new Refusal(`the timestamp is ${describe(seconds)} ${time < now ? 'old' : 'ahead'}`);
};

const toTime = (text: string): number => {
  if (ISO_8601.test(text)) return Date.parse(text);
  if (!/^\d{1,15}$/.test(text)) return Number.NaN;
  return Number(text) < FIRST_IN_MILLISECONDS ? Number(text) * 1_000 : Number(text);
};

const describe = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [seconds, 'seconds'] : [Math.floor(seconds / 60), 'minutes'];
  return `${count} ${unit}`;
};
