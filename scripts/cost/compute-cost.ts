import { assumptions } from './assumptions.ts';
import type { BilledRun } from './billed-run.ts';
import { priceOf } from './prices.ts';

/** Dollars. */
export interface Cost {
  readonly gateway: number;
  readonly lambda: number;
  readonly durable: number;
  readonly dynamodb: number;
  /** Requests to the bucket. */
  readonly bucket: number;
  readonly logs: number;
  readonly events: number;
}

/**
 * The cost of one run, including the request that starts it. An event bus adds the cost of its event and of setting and clearing
 * the outbox flag, and saves the event's log line.
 */
export const computeCost = (run: BilledRun, hasBus: boolean): Cost => {
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
