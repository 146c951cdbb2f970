import type { OperationUpdate } from '@aws/durable-execution-sdk-js';
import type { DurableRun } from '../../tests/support/a-durable-engine.ts';
import type { BackgroundCounts } from '../cost/billed-run.ts';

/** The start of the run is also an operation. */
export const countDurable = ({ state, updates, invocations }: DurableRun): BackgroundCounts => ({
  operations: state.operations.size,
  bytes: payloadBytes(updates),
  invocations,
});

export const payloadBytes = (updates: readonly OperationUpdate[]): number =>
  updates.reduce((sum, { Payload = '' }) => sum + Buffer.byteLength(Payload), 0);
