import type { OperationUpdate } from '@aws/durable-execution-sdk-js';
import type { DurableRun } from '../../tests/support/a-durable-engine.ts';

/** What Lambda bills for one run in the background, beside its time. */
export interface DurableCounts {
  /** The start of the run is one of them. */
  readonly operations: number;
  /** Of what the checkpoints write. */
  readonly bytes: number;
  readonly invocations: number;
}

export const countDurable = ({ state, updates, invocations }: DurableRun): DurableCounts => ({
  operations: state.operations.size,
  bytes: payloadBytes(updates),
  invocations,
});

export const payloadBytes = (updates: readonly OperationUpdate[]): number =>
  updates.reduce((sum, { Payload = '' }) => sum + Buffer.byteLength(Payload), 0);
