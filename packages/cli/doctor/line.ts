/** Status of a line: `unknown` if the doctor could not check, `skipped` if it is not applicable here. */
export type LineStatus = 'ok' | 'warning' | 'wrong' | 'unknown' | 'skipped';

/** The result of one check. */
export interface Line {
  /** Name of the check, such as `functions` or `tables`. */
  readonly check: string;
  readonly status: LineStatus;
  /** What the doctor found. */
  readonly message: string;
  /** What to do about it; null when there is nothing to do. */
  readonly remedy: string | null;
}

/** How long a whole run of the doctor may take. */
export interface TimeLimit {
  readonly seconds: number;
  readonly isOver: () => boolean;
}

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
