import { withDurableExecution } from '@aws/durable-execution-sdk-js';
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { afterAll, beforeAll } from '@jest/globals';
import { createDurableSteps, createStepSerdes } from '../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../lib/adapters/durable/pending-io.ts';
import { inMemoryBlobs } from '../support/in-memory-blobs.ts';
import { describeSteps, type WithSteps } from '../support/steps-suite.ts';

// The contract that holds on our test engine holds on AWS's own runner.

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

const onAwsRunner: WithSteps = async <Value>(use: Parameters<WithSteps>[0]): Promise<Value> => {
  const blobs = inMemoryBlobs();
  let outcome: { readonly value: unknown } | undefined;
  const handlerFunction = withDurableExecution(async (_input: unknown, context) => {
    outcome = {
      value: await use(createDurableSteps(context, createStepSerdes('e-1', blobs, createPendingIo()))),
    };
  });
  const run = await new LocalDurableTestRunner({ handlerFunction }).run({ payload: {} });
  if (run.getStatus() !== 'SUCCEEDED' || outcome === undefined)
    throw new Error(JSON.stringify(run.getError()));
  return outcome.value as Value;
};

describeSteps('AWS’s own test runner', onAwsRunner);
