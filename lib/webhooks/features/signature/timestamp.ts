import { Refusal } from '../../../shared/refusal.ts';

const DEFAULT_TOLERANCE_SECONDS = 300;

/** From here on a timestamp is in milliseconds: in seconds it would be in the year 5138. */
const FIRST_IN_MILLISECONDS = 1e11;

/**
 * Checks that a request was signed about now, so that it can't be sent again later.
 *
 * @param text - seconds or milliseconds since the epoch
 * @param now - milliseconds since the epoch
 * @throws Refusal when it is not
 */
export const checkTimestamp = (
  text: string,
  now: number,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: { readonly toleranceSeconds?: number },
): void => {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('the timestamp is not a time');
  const time = Number(text) < FIRST_IN_MILLISECONDS ? Number(text) * 1_000 : Number(text);
  const seconds = Math.floor(Math.abs(now - time) / 1_000);
  if (seconds <= toleranceSeconds) return;
  throw new Refusal(`the timestamp is ${describe(seconds)} ${time < now ? 'old' : 'ahead'}`);
};

const describe = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [seconds, 'seconds'] : [Math.floor(seconds / 60), 'minutes'];
  return `${count} ${unit}`;
};
