import type {
  DueGroup,
  ExecutionEnd,
  ExecutionStart,
  ExecutionStore,
} from '../../lib/executions/record/execution-store.ts';

/** A durable execution that was accepted. */
export const anExecutionStart = (changes: Partial<ExecutionStart> = {}): ExecutionStart => ({
  executionId: 'e-1',
  workflowId: 'orders',
  workflowVersion: 3,
  trigger: { nodeId: 'start', type: 'webhookTrigger' },
  mode: 'durable',
  status: 'accepted',
  held: null,
  startedAt: 1_700_000_000_000,
  startToken: 'token-1',
  input: 'j{"body":1}',
  callbackKey: 'key-1',
  retryOf: null,
  traceparent: null,
  requestId: null,
  retriedCheckpoints: null,
  keepsResult: false,
  ...changes,
});

export const anExecutionEnd = (changes: Partial<ExecutionEnd> = {}): ExecutionEnd => ({
  status: 'succeeded',
  endedAt: 1_700_000_000_500,
  nodes: [],
  failure: null,
  isInOutbox: false,
  ...changes,
});

type ExecutionLease = Parameters<ExecutionStore['acquireLease']>[1];

export const aLease = (changes: Partial<ExecutionLease> = {}): ExecutionLease => ({
  leaseOwner: 'arn-1',
  leaseExpiresAt: 1_700_000_600_000,
  journalSize: 0,
  crashes: 0,
  invocations: 1,
  ...changes,
});

/** The ids of all that is due, or of one group. */
export const dueIn = async (
  { findDue }: Pick<ExecutionStore, 'findDue'>,
  now: number,
  groups: readonly DueGroup[] = ['active', 'waiting'],
): Promise<string[]> => {
  const ids: string[] = [];
  for (const group of groups) for await (const id of findDue(now, group)) ids.push(id);
  return ids;
};
