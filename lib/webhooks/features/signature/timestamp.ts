import { readInstant } from '@hookloom/counted-jsonata/times';
import { Refusal } from '../../../shared/errors.ts';
import { DEFAULT_TOLERANCE_SECONDS, type SignatureRule, type TimestampFormat } from './schemes.ts';

/**
 * Each form has one way to write a time, so that no digit of a value next to it in the signed text can be taken for one
 * of the time: numbers have a fixed number of digits. ISO 8601 is RFC 3339, as senders write it.
 */
const FORMATS: Readonly<Record<TimestampFormat, readonly [form: RegExp, toTime: (text: string) => number]>> =
  {
    seconds: [/^[1-9]\d{9}$/, (text) => Number(text) * 1_000],
    milliseconds: [/^[1-9]\d{12}$/, Number],
    iso8601: [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/, readInstant],
  };

/**
 * Checks that a request was signed recently, so that it can't be replayed later.
 *
 * @param text - in the given format; in any of them if there is none
 * @param now - milliseconds since the epoch
 * @throws Refusal when it was not
 */
export const checkTimestamp = (
  text: string,
  now: number,
  {
    toleranceSeconds = DEFAULT_TOLERANCE_SECONDS,
    timestampFormat,
  }: Pick<SignatureRule, 'toleranceSeconds' | 'timestampFormat'>,
): void => {
  const time = toTime(text, timestampFormat);
  if (Number.isNaN(time)) throw new Refusal('the timestamp is not a valid time');
  const seconds = Math.floor(Math.abs(now - time) / 1_000);
  if (seconds <= toleranceSeconds) return;
  throw new Refusal(`the timestamp is ${describeAge(seconds)} ${time < now ? 'old' : 'ahead'}`);
};

const toTime = (text: string, format: TimestampFormat | undefined): number => {
  const formats = format === undefined ? Object.values(FORMATS) : [FORMATS[format]];
  return formats.find(([form]) => form.test(text))?.[1](text) ?? Number.NaN;
};

const describeAge = (seconds: number): string => {
  const [count, unit] = seconds < 120 ? [seconds, 'seconds'] : [Math.floor(seconds / 60), 'minutes'];
  return `${count} ${unit}`;
};
