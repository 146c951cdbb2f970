import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { readExecutionId } from './executions/read-execution-id.ts';
import { type SweepParts, sweepExecution } from './executions/sweep-execution.ts';

/** As many as one sweep can look at in its time; the next one goes on. */
const MAX_EXECUTIONS = 500;
const CONCURRENCY = 10;

/**
 * The sweeper. Called by a schedule, it looks after the executions that nobody has heard of; called by the dead-letter
 * queue, after those that it is given. One that can't be seen to now does not keep it from the others.
 */
export const createSweepFunction =
  (parts: SweepParts) =>
  async (event: unknown): Promise<SQSBatchResponse> => {
    const sweep = async (executionId: string, isGivenUp: boolean): Promise<boolean> => {
      try {
        await sweepExecution(executionId, parts, isGivenUp);
        return true;
      } catch (cause) {
        parts.logger.error('The execution could not be seen to.', { executionId, cause });
        return false;
      }
    };
    return isQueueEvent(event) ? sweepQueue(event, sweep) : sweepDue(parts, sweep);
  };

type Sweep = (executionId: string, isGivenUp: boolean) => Promise<boolean>;

const isQueueEvent = (event: unknown): event is SQSEvent =>
  Array.isArray((event as { readonly Records?: unknown } | null)?.Records);

/** What could not be seen to stays in the queue; what is no execution of ours would never leave it otherwise. */
const sweepQueue = async ({ Records }: SQSEvent, sweep: Sweep): Promise<SQSBatchResponse> => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { body, messageId } of Records) {
    const executionId = findExecutionId(body);
    if (executionId !== null && !(await sweep(executionId, true))) {
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
};

const findExecutionId = (body: string): string | null => {
  try {
    return readExecutionId(JSON.parse(body));
  } catch {
    return null;
  }
};

const sweepDue = async (
  { executions, clock, logger }: SweepParts,
  sweep: Sweep,
): Promise<SQSBatchResponse> => {
  const due = [...(await executions.findDue(clock.now(), MAX_EXECUTIONS))];
  let seen = 0;
  const work = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) if (await sweep(next, false)) seen++;
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (seen > 0) logger.info('Executions were seen to.', { count: seen });
  return { batchItemFailures: [] };
};
