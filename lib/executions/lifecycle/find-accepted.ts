import pLimit from 'p-limit';
import { beganAt, type ExecutionRecord, type ExecutionStore } from '../record/execution-store.ts';

/** The background executions that wait to start: accepted, and not held. */
export interface AcceptedExecutions {
  readonly count: number;
  /** Null if there is none. */
  readonly oldest:
    | (Pick<ExecutionRecord, 'executionId' | 'workflowId' | 'mode'> & {
        /** When it was accepted, or released if it was held; ISO 8601, UTC. */
        readonly since: string;
      })
    | null;
}

/** Accepted executions are first swept after 15 minutes; `sweep` postpones that by up to a day. */
const AHEAD_MS = 2 * 86_400_000;
const MAX_READ = 300;
const CONCURRENCY = 10;

/**
 * Finds the executions that wait to start among the first 300 open ones.
 *
 * @param now - milliseconds since the epoch
 * @throws AppError `STORE_UNAVAILABLE`
 */
export const findAccepted = async (
  store: Pick<ExecutionStore, 'findDue' | 'find'>,
  now: number,
): Promise<AcceptedExecutions> => {
  const ids: string[] = [];
  for await (const id of store.findDue(now + AHEAD_MS, 'active')) {
    ids.push(id);
    if (ids.length === MAX_READ) break;
  }
  const records = await pLimit(CONCURRENCY).map(ids, (id) => store.find(id));
  const waiting = records.filter(
    (record): record is ExecutionRecord => record?.status === 'accepted' && record.held === null,
  );
  const [oldest = null] = waiting.sort((a, b) => beganAt(a) - beganAt(b));
  if (oldest === null) return { count: 0, oldest };
  const { executionId, workflowId, mode } = oldest;
  const since = new Date(beganAt(oldest)).toISOString();
  return { count: waiting.length, oldest: { executionId, workflowId, mode, since } };
};
