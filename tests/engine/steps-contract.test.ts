import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { createDurableSteps, createStepSerdes } from '../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../lib/adapters/durable/pending-io.ts';
import { createJournalingSteps } from '../../lib/engine/checkpoint-journal.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { aDurableEngine } from '../support/a-durable-engine.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { inMemoryBlobs } from '../support/in-memory-blobs.ts';
import { describeSteps, type WithSteps } from '../support/steps-suite.ts';

const inline: WithSteps = (use) => {
  const { clock, run } = aVirtualClock();
  return run(use(inlineSteps(clock)));
};

/** Returns the outcome beside the engine: the subject are the steps, not the result of a function. */
const durable: WithSteps = async <Value>(use: Parameters<WithSteps>[0]): Promise<Value> => {
  const blobs = inMemoryBlobs();
  let outcome: { readonly value: unknown } | undefined;
  const { run } = aDurableEngine({
    createHandler: (client) =>
      withDurableExecution(
        async (_input: unknown, context) => {
          outcome = {
            value: await use(createDurableSteps(context, createStepSerdes('e-1', blobs, createPendingIo()))),
          };
        },
        { durableExecutionClient: client },
      ),
  });
  const { status, error } = await run();
  if (status !== 'succeeded' || outcome === undefined)
    throw new Error(`it ${status}: ${JSON.stringify(error)}`);
  return outcome.value as Value;
};

const journaling =
  (over: WithSteps): WithSteps =>
  (use) =>
    over((steps) => use(createJournalingSteps(steps, new Map(), String)));

describeSteps('a process that lives long enough', inline);
describeSteps('a durable execution', durable);
describeSteps('a journal over a process', journaling(inline));
describeSteps('a journal over a durable execution', journaling(durable));
