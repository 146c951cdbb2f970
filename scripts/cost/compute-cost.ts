import type { BilledRun } from './billed-run.ts';
import { assumptions, priceOf } from './prices.ts';

/** Cost of runs by service, in dollars. */
type Cost = ReturnType<typeof computeCost>;

/**
 * The cost of one run, including the request that starts it. An event bus adds the cost of its event and of setting and clearing
 * the outbox flag, and saves the event's log line.
 */
export const computeCost = (run: BilledRun, hasBus: boolean) => {
  const { invocations = 0, operations = 0, bytes = 0 } = run.background ?? {};
  const { readUnits, writeUnits } = hasBus ? run.withBus : run.units;
  const { functionMegabytes, invocationLogBytes, eventLogBytes } = assumptions;
  const gigabyteSeconds = (functionMegabytes.value / 1_024) * (computeLambdaMs(run) / 1_000);
  const logBytes = (1 + invocations) * invocationLogBytes.value + (hasBus ? 0 : eventLogBytes.value);
  return {
    gateway: priceOf('gatewayRequest', 1),
    lambda: priceOf('lambdaRequest', 1 + invocations) + priceOf('lambdaGigabyteSecond', gigabyteSeconds),
    durable: priceOf('durableOperation', operations) + priceOf('durableGigabyte', bytes / 1e9),
    dynamodb: priceOf('writeUnit', writeUnits) + priceOf('readUnit', readUnits),
    bucket: priceOf('blobPut', run.stored.blobPuts) + priceOf('blobGet', run.stored.blobGets),
    logs: priceOf('logGigabyte', logBytes / 1e9),
    events: hasBus ? priceOf('event', 1) : 0,
  };
};

const computeLambdaMs = ({ effectfulNodes, background }: BilledRun): number => {
  const { requestMs, invocationMs, checkpointingMs, effectfulMs } = assumptions;
  const { invocations = 0, operations = 0 } = background ?? {};
  // The start of a durable run is an operation without a checkpoint.
  const perInvocation = operations > 1 ? checkpointingMs : invocationMs;
  return requestMs.value + invocations * perInvocation.value + effectfulNodes * effectfulMs.value;
};

export const totalOf = (cost: Cost): number =>
  Object.values(cost).reduce((sum: number, part: number) => sum + part, 0);

const SECONDS_PER_DAY = 86_400;
const DAYS_PER_MONTH = 30;
const GIGABYTE = 1e9;

/** Computes the monthly cost for runs of one kind, without an event bus. */
export const computeMonthlyCost = (run: BilledRun, runsPerSecond: number) => {
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

// The same workflow on Step Functions, behind its own HTTP API: a pure node is a state (Pass, Choice), an effectful
// one an HTTP task, a wait a Wait, so that neither service calls a function. Without logs and the CPU time of states.

/**
 * Dollars of one execution.
 *
 * @returns null for a waiting caller, which Standard does not support
 */
export const computeStandardCost = ({ nodes, background }: BilledRun): number | null =>
  background === null ? null : priceOf('gatewayRequest', 1) + priceOf('transition', countTransitions(nodes));

/** One into each state of a chain and one out of the last. */
const countTransitions = (states: number): number => states + 1;

/** Express bills the time until the execution ends, waits included, in increments of this length. */
const BILLED_MS = 100;

/** Computes the cost of one execution in dollars. */
export const computeExpressCost = ({ effectfulNodes, waitSeconds }: BilledRun): number => {
  const { effectfulMs, expressMegabytes } = assumptions;
  const durationMs = effectfulNodes * effectfulMs.value + waitSeconds * 1_000;
  const billedSeconds = (Math.max(1, Math.ceil(durationMs / BILLED_MS)) * BILLED_MS) / 1_000;
  const gigabyteSeconds = (expressMegabytes.value / 1_024) * billedSeconds;
  return (
    priceOf('gatewayRequest', 1) +
    priceOf('expressRequest', 1) +
    priceOf('expressGigabyteSecond', gigabyteSeconds)
  );
};
