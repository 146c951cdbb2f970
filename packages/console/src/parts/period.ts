/** A period as the address has it: the last so much, such as `1-hour`; or between two instants; or neither. */
export interface PeriodState {
  readonly last: string;
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
}

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000 };

type PeriodUnit = keyof typeof UNITS;

export interface RelativePeriod {
  readonly amount: number;
  readonly unit: PeriodUnit;
}

/** @returns null if the text is no period */
export const parseLast = (last: string): RelativePeriod | null => {
  const [, amount, unit] = /^([1-9]\d{0,3})-(minute|hour|day|week|month)$/.exec(last) ?? [];
  return amount === undefined ? null : { amount: Number(amount), unit: unit as PeriodUnit };
};

/** The bounds to ask for; empty where there is none. @param now - milliseconds since the epoch */
export const periodBounds = (
  { last, from, to }: PeriodState,
  now: number,
): { readonly from: string; readonly to: string } => {
  const relative = parseLast(last);
  if (relative === null) return { from, to };
  return { from: new Date(now - relative.amount * UNITS[relative.unit]).toISOString(), to: '' };
};
