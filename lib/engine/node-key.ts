/** One run of one node in an execution. */
export interface NodeRunId {
  readonly nodeId: string;
  /** Turn of the loop around it; 0 for the first. */
  readonly iteration: number;
  /** Key of the run inside of a run that it belongs to; absent or empty at the top. */
  readonly within?: string;
}

/**
 * Names a run of a node: its step, its checkpoint, its idempotency key.
 *
 * @returns `node/iteration`, after the key of the run around it
 */
export const nodeKeyOf = ({ nodeId, iteration, within = '' }: NodeRunId): string =>
  within === '' ? `${nodeId}/${iteration}` : `${within}/${nodeId}/${iteration}`;
