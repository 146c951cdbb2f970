const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** A duration as one reads it: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 20 min`, `2 days`. @param ms - at least 0; null for none */
export const formatDuration = (ms: number | null): string => {
  if (ms === null) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${decimal.format(ms / 1_000)} s`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1_000) * 1_000;
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count === 0) continue;
    const names = { day: count === 1 ? 'day' : 'days', hour: 'h', minute: 'min', second: 's' };
    parts.push(`${count} ${names[unit]}`);
    if (parts.length === 2 || unit === 'second') break;
  }
  return parts.join(' ');
};
