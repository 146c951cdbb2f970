import {
  type DurableExecutionClient,
  DurableExecutionClientError,
  DurableExecutionClientErrorScope,
} from '@aws/durable-execution-sdk-js';

/**
 * Limits the effect of a stale checkpoint token to the invocation: another process has taken over, so this one has to
 * stop, but the execution continues. The service's message is "Invalid checkpoint token"; SDK 2.4.0 matches other
 * capitals, treats the error as an invalid request, and fails the execution.
 * https://github.com/aws/aws-durable-execution-sdk-js/issues/917, fixed after 2.4.0
 */
export const createCheckpointClient = (client: DurableExecutionClient): DurableExecutionClient => ({
  getExecutionState: (request, logger) => client.getExecutionState(request, logger),
  checkpoint: async (request, logger) => {
    try {
      return await client.checkpoint(request, logger);
    } catch (error) {
      // Other errors are left to the SDK.
      if (!(error instanceof Error) || !/invalid checkpoint token/i.test(error.message)) throw error;
      throw new DurableExecutionClientError(error.message, {
        scope: DurableExecutionClientErrorScope.INVOCATION,
        cause: error,
      });
    }
  },
});
