/** A period, in milliseconds since the epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A period with its place on the scale. */
interface Placed extends Period {
  /** Where it is drawn: shares of the width. */
  readonly x: number;
  readonly width: number;
}

/** A pause is folded if it is this much longer than everything else together, and at least a second. */
const FOLD_FACTOR = 2;
const MIN_FOLD_MS = 1_000;
const FOLD_WIDTH = 0.08;
/** All folds together. */
const MAX_FOLDS_WIDTH = 0.4;

/**
 * A scale on which long pauses take little room: an execution that worked for a second and waited for two days shows both.
 *
 * @param busy - periods in which a node worked, in any order
 */
export const createTimeScale = (whole: Period, busy: readonly Period[]) => {
  const pauses = findPauses(whole, busy);
  const worked = whole.to - whole.from - pauses.reduce((sum, { from, to }) => sum + to - from, 0);
  const folded =
    worked <= 0
      ? []
      : pauses.filter(({ from, to }) => to - from >= Math.max(MIN_FOLD_MS, worked * FOLD_FACTOR));
  const foldWidth = Math.min(FOLD_WIDTH, MAX_FOLDS_WIDTH / Math.max(1, folded.length));
  const foldedMs = folded.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = (1 - foldWidth * folded.length) / Math.max(1, whole.to - whole.from - foldedMs);

  /** Periods in which nothing but waiting happened, drawn narrow. */
  const folds: Placed[] = [];
  const segments: Placed[] = [];
  let [at, x] = [whole.from, 0];
  const add = (to: number, width: number) => {
    segments.push({ from: at, to, x, width });
    [at, x] = [to, x + width];
  };
  for (const { from, to } of folded) {
    add(from, (from - at) * perMs);
    folds.push({ from, to, x, width: foldWidth });
    add(to, foldWidth);
  }
  add(whole.to, (whole.to - at) * perMs);

  /** Where an instant is drawn: a share of the width, 0 to 1. */
  const toX = (time: number): number => {
    if (time <= whole.from) return 0;
    const found = segments.find(({ to }) => time <= to);
    if (found === undefined) return 1;
    return Math.min(1, found.x + (found.width * (time - found.from)) / Math.max(1, found.to - found.from));
  };
  /** The instant at a share of the width. */
  const toTime = (share: number): number => {
    const found = segments.find((one) => one.width > 0 && share <= one.x + one.width) ?? segments.at(-1);
    if (found === undefined || found.width === 0) return whole.to;
    return found.from + ((share - found.x) / found.width) * (found.to - found.from);
  };
  return { toX, toTime, folds };
};

/** The periods in which nothing worked. */
const findPauses = (whole: Period, busy: readonly Period[]): readonly Period[] => {
  const pauses: Period[] = [];
  let at = whole.from;
  for (const { from, to } of [...busy].sort((a, b) => a.from - b.from)) {
    if (from > at) pauses.push({ from: at, to: Math.min(from, whole.to) });
    at = Math.max(at, to);
  }
  if (at < whole.to) pauses.push({ from: at, to: whole.to });
  return pauses;
};
