import {
  type DurableExecutionClient,
  DurableExecutionClientError,
  DurableExecutionClientErrorScope,
} from '@aws/durable-execution-sdk-js';

/**
 * A checkpoint with a token that is no longer good means that another process has taken the execution over: this one
 * has to stop, and nothing else. The service says "Invalid checkpoint token", and SDK 2.4.0 looks for other capitals,
 * takes it for a mistake in the request, and fails the whole execution. So the scope is said here.
 * https://github.com/aws/aws-durable-execution-sdk-js/issues/917, mended after 2.4.0
 */
export const createCheckpointClient = (client: DurableExecutionClient): DurableExecutionClient => ({
  getExecutionState: (request, logger) => client.getExecutionState(request, logger),
  checkpoint: async (request, logger) => {
    try {
      return await client.checkpoint(request, logger);
    } catch (error) {
      // What is not about the token passes as it is, for the SDK to classify.
      if (!(error instanceof Error) || !/invalid checkpoint token/i.test(error.message)) throw error;
      throw new DurableExecutionClientError(error.message, {
        scope: DurableExecutionClientErrorScope.INVOCATION,
        cause: error,
      });
    }
  },
});
