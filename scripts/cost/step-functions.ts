import { assumptions } from './assumptions.ts';
import type { BilledRun } from './billed-run.ts';
import { priceOf } from './prices.ts';

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
export const countTransitions = (states: number): number => states + 1;

/** Express bills the time until the execution ends, waits included, in increments of this length. */
const BILLED_MS = 100;

/** Dollars of one execution. */
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
