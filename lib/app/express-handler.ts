import type { Context } from 'aws-lambda';
import { inlineSteps } from '../engine/steps.ts';
import { type BackgroundParts, createBackgroundInvocation } from '../executions/lifecycle/background-run.ts';
import { readExecutionId } from '../executions/record/read-execution-id.ts';

/**
 * The function that runs executions from their start to their end in one process. After a crash Lambda calls it again,
 * twice, under the same request id, and the whole workflow runs again under the same idempotency keys; then the
 * execution goes to the dead-letter queue, and is settled by the sweeper.
 */
export const createExpressFunction =
  (parts: BackgroundParts) =>
  async (event: unknown, { awsRequestId }: Pick<Context, 'awsRequestId'>): Promise<void> => {
    const invocation = createBackgroundInvocation(parts);
    try {
      await invocation.run(readExecutionId(event), {
        mode: 'express',
        // It may have been in line for long, and whoever tries again does everything again.
        since: parts.services.clock.now(),
        leaseOwner: `request:${awsRequestId}`,
        steps: inlineSteps(parts.services.clock),
        journal: null,
        openCallbackUrls: null,
        track: (work) => work,
      });
    } finally {
      await invocation.close();
    }
  };
