import { assumptions } from './assumptions.ts';
import type { BilledRun } from './billed-run.ts';
import { type Cost, computeCost } from './compute-cost.ts';
import { priceOf } from './prices.ts';

const SECONDS_PER_DAY = 86_400;
const DAYS_PER_MONTH = 30;
const GIGABYTE = 1e9;

/** Dollars per month, including stored data, at a rate that has lasted longer than the retention. */
interface MonthlyCost extends Omit<Cost, 'events'> {
  /** Records, with their indexes. */
  readonly tables: number;
  readonly recovery: number;
}

/** For runs of one kind, without an event bus. */
export const computeMonthlyCost = (run: BilledRun, runsPerSecond: number): MonthlyCost => {
  const { events: _events, ...perRun } = computeCost(run, false);
  const { executions, deliveries, blobs } = run.stored;
  const { tableDays, deliveryDays, blobDays, logDays, logShare } = assumptions;
  const runsPerDay = runsPerSecond * SECONDS_PER_DAY;
  const runs = runsPerDay * DAYS_PER_MONTH;
  /** Gigabytes of data that each run leaves for this many days. */
  const kept = (bytes: number, days: number) => (bytes * runsPerDay * days) / GIGABYTE;
  const recovered = kept(executions, tableDays.value);
  const ingested = perRun.logs / priceOf('logGigabyte', 1); // gigabytes of a run
  return {
    gateway: perRun.gateway * runs,
    lambda: perRun.lambda * runs,
    durable: perRun.durable * runs,
    dynamodb: perRun.dynamodb * runs,
    logs:
      perRun.logs * runs +
      priceOf('storedLogGigabyte', ingested * runsPerDay * logDays.value * (logShare.value / 100)),
    tables: priceOf('tableGigabyte', recovered + kept(deliveries, deliveryDays.value)),
    recovery: priceOf('recoveryGigabyte', recovered),
    bucket: perRun.bucket * runs + priceOf('blobGigabyte', kept(blobs, blobDays.value)),
  };
};

/** Dollars per month that don't depend on runs. @param alarmMetrics - metrics that alarms look at */
export const computeFixedCost = (alarmMetrics: number) => ({
  alarms: priceOf('alarm', alarmMetrics),
  dashboard: priceOf('dashboard', 1),
  metrics: priceOf('metric', assumptions.metrics.value),
});
