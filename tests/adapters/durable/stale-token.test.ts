import { type DurableExecutionClient, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { describe, expect, test } from '@jest/globals';
import { createCheckpointClient } from '../../../lib/adapters/durable/durable-function.ts';
import { staleToken } from '../../support/a-durable-engine.ts';

const event = {
  DurableExecutionArn: 'arn:aws:lambda:local:0:function:run:1/durable-execution/e/1',
  CheckpointToken: 'stale',
  InitialExecutionState: {
    Operations: [
      {
        Id: 'execution',
        Type: 'EXECUTION' as const,
        Status: 'STARTED' as const,
        StartTimestamp: new Date(0),
        ExecutionDetails: { InputPayload: '{}' },
      },
    ],
  },
};
const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_000 } as never;

/** Lambda, after another process has taken over the execution. */
const refusing = (error: Error): DurableExecutionClient => ({
  getExecutionState: async () => ({ Operations: [] }),
  checkpoint: () => Promise.reject(error),
});

const invoke = (client: DurableExecutionClient) =>
  withDurableExecution(async (_input: unknown, durable) => durable.step('call', async () => 1), {
    durableExecutionClient: client,
  })(event, context);

describe('a stale checkpoint token', () => {
  // When this one fails, the SDK is fixed, and createCheckpointClient can go.
  test('fails the whole execution with the SDK alone', async () => {
    expect(await invoke(refusing(staleToken()))).toMatchObject({ Status: 'FAILED' });
  });

  test('fails only the invocation with our client around it, so that the execution continues', async () => {
    await expect(invoke(createCheckpointClient(refusing(staleToken())))).rejects.toThrow(
      'Invalid checkpoint token',
    );
  });

  test.each([
    [
      'a refusal for another reason fails the execution',
      { name: 'InvalidParameterValueException', status: 400 },
      'FAILED',
    ],
    ['an outage fails the invocation', { name: 'ServiceException', status: 500 }, 'rejects'],
  ])('%s is handled as before', async (_case, { name, status }, expected) => {
    const error = Object.assign(new Error('no'), { name, $metadata: { httpStatusCode: status } });
    const outcome = await invoke(createCheckpointClient(refusing(error))).then(
      ({ Status }) => Status,
      () => 'rejects',
    );
    expect(outcome).toBe(expected);
  });

  test('does not affect reading the state', async () => {
    const client = createCheckpointClient(refusing(staleToken()));
    expect(await client.getExecutionState({ DurableExecutionArn: 'a', CheckpointToken: 't' })).toEqual({
      Operations: [],
    });
  });
});
