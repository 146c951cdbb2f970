import { isPlainObject } from '@hookloom/plugin-kit';
import { isId } from '@hookloom/plugin-kit/host';
import type { Context } from 'aws-lambda';
import { inlineSteps } from '../engine/steps.ts';
import { readExecutionId } from '../executions/lifecycle/background-engine.ts';
import { createBackgroundInvocation } from '../executions/lifecycle/background-run.ts';
import type { BackgroundPorts } from '../executions/ports.ts';
import type { DuePoll } from '../triggers/start-by-event.ts';

/**
 * The function for express runs: from start to end in one process. After a crash, Lambda retries the invocation twice
 * with the same request id, and the whole workflow runs again with the same idempotency keys. After that, the event
 * goes to the dead-letter queue, and the sweeper reconciles the execution. It also polls for triggers: after a crash, the
 * poll is repeated in the same way, and at last the next one catches up.
 */
export const createExpressFunction =
  (parts: BackgroundPorts & { readonly runPoll?: (due: DuePoll, requestId: string) => Promise<void> }) =>
  async (event: unknown, { awsRequestId }: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const invocation = createBackgroundInvocation(parts);
    try {
      const due = readPoll(event);
      if (due !== null && parts.runPoll !== undefined) return await parts.runPoll(due, awsRequestId);
      await invocation.run(readExecutionId(event), {
        mode: 'express',
        // Not the execution's start: it may have been queued for a long time, and a retry repeats the whole run.
        since: parts.services.clock.now(),
        leaseOwner: `request:${awsRequestId}`,
        steps: inlineSteps(parts.services.clock),
        journal: null,
        openCallbackUrls: null,
        track: (work) => work,
      });
    } catch (cause) {
      parts.logger.error('The invocation failed; Lambda will retry it.', { cause });
      throw cause;
    } finally {
      await invocation.close();
    }
  };

/** The poll that an event asks for; null if it is for an execution. */
const readPoll = (event: unknown): DuePoll | null => {
  const { poll } = isPlainObject(event) ? event : {};
  if (!isPlainObject(poll)) return null;
  const { workflowId, triggerNodeId, dueAt } = poll;
  return isId(workflowId) && isId(triggerNodeId) && typeof dueAt === 'string'
    ? { workflowId, triggerNodeId, dueAt }
    : null;
};
