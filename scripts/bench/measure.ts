import { type HeapProfiler, Session } from 'node:inspector/promises';
import { cpus, totalmem } from 'node:os';
import { setImmediate as nextIteration } from 'node:timers/promises';

/** Prints the machine, since times of different machines are not comparable. */
export const printMachine = (): void => {
  const [{ model } = { model: 'unknown' }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  console.log(`Node ${process.version} on ${cpus().length} × ${model}, ${memory} GiB`);
};

export interface Figure {
  readonly median: number;
  /** Half of the interquartile range relative to the median: smaller differences between figures are not significant. */
  readonly spread: number;
}

export const toFigure = (values: readonly number[]): Figure => {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { median: quantile(0.5), spread: (quantile(0.75) - quantile(0.25)) / 2 / quantile(0.5) };
};

export const median = (values: readonly number[]): number => toFigure(values).median;

const ROUNDS = 15;
const ROUND_US = 60_000;
const WARM_UP_US = 400_000;

/**
 * Measures calls alternately in this process, so that other load on the machine affects all of them.
 * @returns for each call CPU microseconds: user and system time of the whole process, garbage collection included
 */
export const measure = async (calls: readonly (() => unknown)[]): Promise<Figure[]> => {
  const kinds: { readonly call: () => unknown; readonly perRound: number; readonly rounds: number[] }[] = [];
  for (const call of calls) {
    const perCall = await cpuOf(call, WARM_UP_US);
    kinds.push({ call, perRound: Math.max(1, Math.round(ROUND_US / perCall)), rounds: [] });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { call, perRound, rounds } of kinds) rounds.push(await cpuOfCalls(call, perRound));
  }
  return kinds.map(({ rounds }) => toFigure(rounds));
};

const cpuOfCalls = async (call: () => unknown, count: number): Promise<number> => {
  const before = process.cpuUsage();
  for (let at = 0; at < count; at++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

/** Calls for about that CPU time, in doubling batches; the figure is the last batch's. */
const cpuOf = async (call: () => unknown, totalUs: number): Promise<number> => {
  let [spent, perCall] = [0, 0];
  for (let count = 1; spent < totalUs; count *= 2) {
    perCall = await cpuOfCalls(call, count);
    spent += perCall * count;
  }
  return perCall;
};

/** CPU milliseconds of one call, excluding garbage of earlier ones. */
export const cpuOfCall = async (call: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
};

const REQUESTS = 100;
const WARM_UP_REQUESTS = 1_000;

/** Larger than the caches of one core. */
const other = Buffer.alloc(8 * 1024 * 1024);
let fills = 0;

/**
 * Measures requests one by one, alternately, each with the processor's caches full of other data, as for a function that is
 * called only occasionally. In a loop, a short handler stays in the caches and takes half the time, so that two parts
 * together cost far more than their sum.
 * @returns for each call CPU microseconds, as {@link measure}, including work after the response
 */
export const measureRequests = async (calls: readonly (() => unknown)[]): Promise<Figure[]> => {
  const kinds = calls.map((call) => ({ call, rounds: [] as number[] }));
  for (let at = 0; at < WARM_UP_REQUESTS; at++) for (const { call } of kinds) await cpuOfRequest(call);
  for (let round = 0; round < ROUNDS; round++) {
    const sums = kinds.map(() => 0);
    for (let at = 0; at < REQUESTS; at++) {
      for (const [kind, { call }] of kinds.entries())
        sums[kind] = (sums[kind] ?? 0) + (await cpuOfRequest(call));
    }
    for (const [kind, { rounds }] of kinds.entries()) rounds.push((sums[kind] ?? 0) / REQUESTS);
  }
  return kinds.map(({ rounds }) => toFigure(rounds));
};

const cpuOfRequest = async (call: () => unknown): Promise<number> => {
  other.fill(++fills & 0xff);
  const before = process.cpuUsage();
  await call();
  await nextIteration();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

/** Wall time of single calls in a loop, in microseconds. */
export const measureLatency = async (
  call: () => unknown,
): Promise<Readonly<Record<'p50' | 'p99', number>>> => {
  const times: number[] = [];
  for (let at = 0; at < LATENCIES; at++) {
    const start = performance.now();
    await call();
    times.push((performance.now() - start) * 1e3);
  }
  times.sort((a, b) => a - b);
  const quantile = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? Number.NaN;
  return { p50: quantile(0.5), p99: quantile(0.99) };
};

const LATENCIES = 2_000;

/**
 * Bytes that one warm call allocates on the heap of V8, from samples of all allocations; and how many of them the collector of
 * young objects does not free, and therefore copies. These should be next to none: V8 ties objects together that get a getter
 * in a literal, or a closure as a property that is assigned later, so that all survive until the whole heap is collected.
 */
export const measureGarbage = async (
  call: () => unknown,
): Promise<Readonly<Record<'allocated' | 'surviving', number>>> => ({
  allocated: await sampleHeap(call, true),
  surviving: await sampleHeap(call, false),
});

const sampleHeap = async (call: () => unknown, includesYoung: boolean): Promise<number> => {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLING_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: includesYoung,
  });
  for (let at = 0; at < LATENCIES; at++) await call();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const sum = (node: HeapProfiler.SamplingHeapProfileNode): number =>
    node.children.reduce((bytes, child) => bytes + sum(child), node.selfSize);
  return sum(profile.head) / LATENCIES;
};

const SAMPLING_BYTES = 4_096;

/** Formats the spread of a figure, such as `±3 %`. */
export const formatSpread = ({ spread }: Figure): string => `±${(spread * 100).toFixed(0)} %`;

/** Prints a table with the first column aligned to the left, the others to the right. */
export const printTable = (
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ');
  console.log(`\n${title}\n`);
  console.log(line(header));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of rows) console.log(line(row));
};
