/**
 * How many durations fell into each bucket, by the number of the bucket. Bucket 0 holds durations below a millisecond;
 * each other one ends at a bound that is {@link GROWTH} times the previous one. Histograms can be merged, so that an hour
 * is the sum of its parts and a day the sum of its hours, and they are small: a year is in bucket 243.
 *
 * DDSketch, https://www.vldb.org/pvldb/vol12/p2195-masson.pdf, §2.1.
 */
export type Histogram = Map<number, number>;

/** The largest relative error of a percentile. */
const RELATIVE_ERROR = 0.05;

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/** No execution is older than its record. */
const MAX_MS = 400 * 86_400_000;

const bucketOf = (ms: number): number =>
  ms >= 1 ? Math.ceil(Math.log(Math.min(ms, MAX_MS)) / LOG_GROWTH) + 1 : 0;

/** The value from which no duration in the bucket differs by more than {@link RELATIVE_ERROR}. */
const middleOf = (bucket: number): number =>
  bucket === 0 ? 0 : Math.round((2 * GROWTH ** (bucket - 1)) / (GROWTH + 1));

/** Adds a duration. @param ms - milliseconds; what is not a positive number counts as 0 */
export const addDuration = (histogram: Histogram, ms: number): void => {
  const bucket = bucketOf(ms);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
};

/** Adds another histogram to the first one. */
export const mergeHistogram = (into: Histogram, other: Histogram): void => {
  for (const [bucket, count] of other) into.set(bucket, (into.get(bucket) ?? 0) + count);
};

export const countDurations = (histogram: Histogram): number =>
  [...histogram.values()].reduce((sum, count) => sum + count, 0);

/**
 * The duration that a share of all durations does not exceed (nearest rank), within {@link RELATIVE_ERROR} and rounding
 * to whole milliseconds.
 *
 * @param share - above 0, at most 1
 * @returns milliseconds; null if there are no durations
 */
export const findPercentile = (histogram: Histogram, share: number): number | null => {
  let left = Math.ceil(countDurations(histogram) * share);
  for (const bucket of [...histogram.keys()].sort((a, b) => a - b)) {
    left -= histogram.get(bucket) ?? 0;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
};

/** Writes a histogram as JSON: bucket and count in turn, as the distance from the previous bucket. */
export const toNumbers = (histogram: Histogram): readonly number[] => {
  const buckets = [...histogram.keys()].sort((a, b) => a - b);
  return buckets.flatMap((bucket, at) => [bucket - (buckets[at - 1] ?? 0), histogram.get(bucket) ?? 0]);
};

/** Reads what {@link toNumbers} wrote. */
export const fromNumbers = (numbers: readonly number[]): Histogram => {
  const histogram: Histogram = new Map();
  let bucket = 0;
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    bucket += numbers[at] ?? 0;
    histogram.set(bucket, numbers[at + 1] ?? 0);
  }
  return histogram;
};
