import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { expect, test } from '@jest/globals';
import { createDurableSteps, createStepSerdes } from '../../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';
import { aDurableEngine } from '../../support/a-durable-engine.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

/** Delays that the engine was asked for, while a step failed with these `retryAfterMs` and then succeeded. */
const delaysAfter = async (...failures: readonly number[]) => {
  const { run } = aDurableEngine({
    createHandler: (client) =>
      withDurableExecution(
        async (_input: unknown, context) => {
          const steps = createDurableSteps(
            context,
            createStepSerdes('e-1', inMemoryBlobs(), createPendingIo()),
          );
          await steps.run({
            name: 'call/0',
            retry: { maxAttempts: 9, maxDelaySeconds: 600 },
            attempt: async (number) => {
              const retryAfterMs = failures[number - 1];
              return retryAfterMs === undefined
                ? { outputs: {} }
                : { failure: { name: 'Error', message: 'busy', retryAfterMs } };
            },
          });
        },
        { durableExecutionClient: client },
      ),
  });
  const { status, updates } = await run();
  expect(status).toBe('succeeded');
  return updates.flatMap(({ StepOptions }) => StepOptions?.NextAttemptDelaySeconds ?? []);
};

test('a durable step waits as long as its failure asks for, in whole seconds, up to the maximum', async () => {
  expect(await delaysAfter(120_500, 0, 7_200_000)).toEqual([121, 2, 600]);
});
