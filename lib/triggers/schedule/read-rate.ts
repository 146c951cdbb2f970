import type { Reading } from './schedule.ts';

const MINUTE_MS = 60_000;

const units: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

interface Rate {
  /** The rate as its author wrote it in `rate(…)`. */
  readonly text: string;
  /** A day is always 24 hours, even when the clocks change. */
  readonly periodMs: number;
}

/** @param text - such as `5 minutes`, `1 hour` */
export const readRate = (text: string): Reading<Rate> => {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,4}) +(minute|hour|day)s?$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs === undefined)
    return {
      fault: 'must be a whole number from 1 to 99999 with minutes, hours or days, such as "5 minutes"',
    };
  const amount = Number(digits);
  return { value: { text: `${amount} ${unit}${amount === 1 ? '' : 's'}`, periodMs: amount * unitMs } };
};
