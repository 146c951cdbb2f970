/** `unknown`: the doctor could not look; `skipped`: it does not apply here. */
export type LineStatus = 'ok' | 'warning' | 'wrong' | 'unknown' | 'skipped';

/** One thing that was looked at. */
export interface Line {
  /** Such as `functions` or `tables`. */
  readonly check: string;
  readonly status: LineStatus;
  /** What is, or what is wrong. */
  readonly message: string;
  /** What to do about it; null when there is nothing to do. */
  readonly remedy: string | null;
}

/** How long a whole look may take. */
export interface TimeLimit {
  readonly seconds: number;
  readonly isOver: () => boolean;
}

/** The lines of one check. */
export const linesOf = (check: string) => {
  const line =
    (status: LineStatus) =>
    (message: string, remedy: string | null = null): Line => ({ check, status, message, remedy });
  return {
    ok: line('ok'),
    warning: line('warning'),
    wrong: line('wrong'),
    unknown: line('unknown'),
    skipped: line('skipped'),
  };
};
