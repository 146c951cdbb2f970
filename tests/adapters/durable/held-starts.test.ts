import { type DurableExecutionClient, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { expect, test } from '@jest/globals';
import { holdStarts } from '../../../lib/adapters/durable/durable-function.ts';
import { createDurableSteps, createStepSerdes } from '../../../lib/adapters/durable/durable-steps.ts';
import { createPendingIo } from '../../../lib/adapters/durable/pending-io.ts';
import type { Step } from '../../../lib/engine/steps.ts';
import { aDurableEngine } from '../../support/a-durable-engine.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';

/** Runs steps one after the other. @returns the actions of each request */
const requestsOf = async (...steps: readonly (Pick<Step, 'name'> & Partial<Step>)[]) => {
  const requests: string[] = [];
  const { run } = aDurableEngine({
    createHandler: (client) => {
      const counted: DurableExecutionClient = {
        ...client,
        checkpoint: (request, logger) => {
          requests.push((request.Updates ?? []).map(({ Name, Action }) => `${Action} ${Name}`).join(', '));
          return client.checkpoint(request, logger);
        },
      };
      const awaited = new Set<string>();
      return withDurableExecution(
        async (_input: unknown, context) => {
          const serdes = createStepSerdes('e-1', inMemoryBlobs(), createPendingIo());
          const durable = createDurableSteps(context, serdes, undefined, awaited);
          for (const step of steps) {
            const attempt = async () => {
              await new Promise(setImmediate); // the SDK sends what it has
              requests.push(`attempt ${step.name}`);
              return { outputs: {} };
            };
            await durable.run({ retry: undefined, attempt, ...step });
          }
        },
        { durableExecutionClient: holdStarts(counted, awaited) },
      );
    },
  });
  expect((await run()).status).toBe('succeeded');
  return requests;
};

test('a step takes one request, which has its start and its result', async () => {
  expect(await requestsOf({ name: 'a' }, { name: 'b' })).toEqual([
    'attempt a',
    'START a, SUCCEED a',
    'attempt b',
    'START b, SUCCEED b',
  ]);
});

test('a step that must not be repeated is not attempted before its start is a checkpoint', async () => {
  expect(await requestsOf({ name: 'a', atMostOnce: true })).toEqual(['START a', 'attempt a', 'SUCCEED a']);
});

test('starts that exceed a request are sent before it, and the token goes along', async () => {
  const requests: (readonly [string | undefined, number | undefined])[] = [];
  const client = holdStarts(
    {
      getExecutionState: async () => ({ Operations: [] }),
      checkpoint: async ({ CheckpointToken, Updates }) => {
        requests.push([CheckpointToken, Updates?.length]);
        return { CheckpointToken: String(requests.length), NewExecutionState: undefined };
      },
    },
    new Set(),
  );
  const send = (Action: 'START' | 'SUCCEED', count: number) =>
    client.checkpoint({
      DurableExecutionArn: 'arn',
      CheckpointToken: '0',
      Updates: Array.from({ length: count }, (_, at) => ({ Id: `${at}`, Type: 'STEP', Action })),
    });
  expect(await send('START', 200)).toMatchObject({ CheckpointToken: '0' });
  expect(await send('SUCCEED', 100)).toMatchObject({ CheckpointToken: '2' });
  expect(requests).toEqual([
    ['0', 200],
    ['1', 100],
  ]);
});
