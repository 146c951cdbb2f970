import { DURATION_PATTERN } from './schema.ts';

const MINUTE_MS = 60_000;

const UNITS = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS } as const;

interface Duration {
  readonly amount: number;
  readonly unit: keyof typeof UNITS;
  readonly ms: number;
}

const DURATION = new RegExp(DURATION_PATTERN);

/** What a text that is none must be. */
export const DURATION_FAULT =
  'must be a whole number from 1 to 99999 with minutes, hours or days, such as "5 minutes"';

/** Reads `5 minutes`, `1 hour` or `2 days`; null for any other text. A day is always 24 hours, even when the clocks change. */
export const readDuration = (text: string): Duration | null => {
  const [, digits = '', unit = ''] = DURATION.exec(text) ?? [];
  if (!(unit === 'minute' || unit === 'hour' || unit === 'day')) return null;
  const amount = Number(digits);
  return { amount, unit, ms: amount * UNITS[unit] };
};
