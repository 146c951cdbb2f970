import { describe, expect, test } from '@jest/globals';
import {
  findExecution,
  findReconciledExecution,
} from '../../../lib/executions/lifecycle/finish-execution.ts';
import { describeExecution, describeSummary } from '../../../lib/executions/record/describe-execution.ts';
import type {
  EndedExecution,
  ExecutionRecord,
  ExecutionStart,
} from '../../../lib/executions/record/execution-store.ts';
import { silent } from '../../support/a-run.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const START = 1_700_000_000_000;
const MINUTE = 60_000;

const aService = async (start: Partial<ExecutionStart>, now: number) => {
  const executions = inMemoryExecutionStore();
  await executions.start(anExecutionStart({ startedAt: START, ...start }));
  const published: EndedExecution[] = [];
  const events = {
    publish: async (ended: EndedExecution) => {
      published.push(ended);
    },
  };
  const parts = { executions, events, usesOutbox: true, logger: silent, clock: { now: () => now } };
  return { executions, published, show: (id = 'e-1') => findReconciledExecution(id, parts) };
};

describe('finding an execution', () => {
  test('finishes it if its process must have died', async () => {
    const now = START + 15 * MINUTE + 1;
    const { show, published, executions } = await aService({ mode: 'inline', status: 'running' }, now);
    const record = await show();
    expect(record).toMatchObject({
      status: 'failed',
      endedAt: now,
      failure: {
        nodeId: 'start',
        name: 'ProcessLost',
        message: 'its process ended without recording a result',
      },
    });
    expect(await executions.find('e-1')).toEqual(record);
    expect(published).toMatchObject([{ executionId: 'e-1', status: 'failed' }]);
  });

  test('changes and publishes nothing the second time', async () => {
    const { show, published } = await aService({ mode: 'inline', status: 'running' }, START + 16 * MINUTE);
    expect(await show()).toEqual(await show());
    expect(published).toHaveLength(1);
  });

  test('returns the end that its own process records at the same moment', async () => {
    const { show, executions, published } = await aService(
      { mode: 'inline', status: 'running' },
      START + 16 * MINUTE,
    );
    const { finish } = executions;
    executions.finish = async (id, end) => {
      await finish(id, anExecutionEnd());
      return finish(id, end);
    };
    expect(await show()).toMatchObject({ status: 'succeeded', failure: null });
    expect(published).toEqual([]);
  });

  test.each<[string, Partial<ExecutionStart>, number]>([
    ['may still be running', { mode: 'inline', status: 'running' }, 15 * MINUTE],
    ['was accepted', { mode: 'durable' }, 60 * MINUTE],
    ['is an express run, which the sweeper reconciles', { mode: 'express', status: 'running' }, 60 * MINUTE],
  ])('changes nothing for one that %s', async (_what, start, age) => {
    const { show, published } = await aService(start, START + age);
    expect(await show()).toMatchObject({ endedAt: null, failure: null });
    expect(published).toEqual([]);
  });

  test.each(['e-2', 'x'.repeat(64)])('names an unknown one, %s', async (id) => {
    const { show } = await aService({}, START);
    await expect(show(id)).rejects.toMatchObject({
      code: 'EXECUTION_NOT_FOUND',
      message: expect.stringContaining(id),
    });
  });

  test.each(['', 'a b', '<script>', '../e-1', 'x'.repeat(65), 'e-1\n', 'é'])(
    'reads no store for the invalid id %j, and does not quote it',
    async (id) => {
      const executions = { find: () => Promise.reject(new Error('the store was read')) };
      await expect(findExecution(id, { executions })).rejects.toMatchObject({
        code: 'EXECUTION_NOT_FOUND',
        message: 'There is no execution with this id, or its record has expired.',
      });
    },
  );
});

/** A record with a value in every attribute, and in an unknown one. */
const aFullRecord = {
  ...anExecutionStart({ startToken: 'hidden-token', input: 'jhidden-input', callbackKey: 'hidden-key' }),
  status: 'failed',
  releasedAt: START + 700,
  endedAt: START + 1_500,
  retryOf: { executionId: 'e-0', fromNodeId: 'fetch' },
  retriedCheckpoints: 'jhidden-retriedCheckpoints',
  checkpoints: 'jhidden-checkpoints',
  result: 'jhidden-result',
  journalSize: 0,
  crashes: 0,
  redispatches: 0,
  isInOutbox: true,
  leaseExpiresAt: START + 123,
  leaseOwner: 'arn:aws:lambda:eu-central-1:123456789012:function:run:1/durable-execution/e-1/2',
  invocations: 3,
  failure: { nodeId: 'fetch', name: 'HttpError', message: 'no', stack: 'hidden-stack' },
  nodes: [
    {
      nodeId: 'fetch',
      within: 'each/0/2',
      type: 'httpRequest',
      status: 'failed',
      iteration: 1,
      attempts: 2,
      startedAt: START + 100,
      durationMs: 1_000,
      failure: { nodeId: 'fetch', name: 'HttpError', message: 'no', stack: 'hidden-stack' },
      input: { a: 1 },
      outputs: { main: {} },
      somethingNew: 'hidden-new',
    },
    {
      nodeId: 'next',
      type: 'set',
      status: 'skipped',
      iteration: 0,
      attempts: 0,
      startedAt: START,
      durationMs: 0,
    },
  ],
  nodesOmitted: 4,
  somethingNew: 'hidden-new',
} as ExecutionRecord;

describe('the view for operators', () => {
  test('of an execution has everything they need, with times in ISO 8601', () => {
    expect(describeExecution(aFullRecord)).toEqual({
      failedItems: 0,
      editedInput: null,
      retriedBy: null,
      eventPending: true,
      executionId: 'e-1',
      workflowId: 'orders',
      workflowVersion: 3,
      mode: 'durable',
      status: 'failed',
      startedAt: '2023-11-14T22:13:20.000Z',
      endedAt: '2023-11-14T22:13:21.500Z',
      durationMs: 1_500,
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      retryOf: { executionId: 'e-0', fromNodeId: 'fetch' },
      leaseOwner: aFullRecord.leaseOwner,
      invocations: 3,
      crashes: 0,
      failure: { nodeId: 'fetch', name: 'HttpError', message: 'no' },
      nodes: [
        {
          nodeId: 'fetch',
          within: 'each/0/2',
          type: 'httpRequest',
          status: 'failed',
          iteration: 1,
          attempts: 2,
          startedAt: '2023-11-14T22:13:20.100Z',
          durationMs: 1_000,
          failure: { nodeId: 'fetch', name: 'HttpError', message: 'no' },
          input: { a: 1 },
          outputs: { main: {} },
        },
        {
          nodeId: 'next',
          type: 'set',
          status: 'skipped',
          iteration: 0,
          attempts: 0,
          startedAt: '2023-11-14T22:13:20.000Z',
          durationMs: 0,
        },
      ],
      nodesOmitted: 4,
      requestId: null,
    });
  });

  // holds: callback-urls-stay-secret
  test('has no request, key, token, checkpoints or callback, whatever a record has', () => {
    expect(JSON.stringify(aFullRecord).match(/hidden-/g)).toHaveLength(10);
    expect(JSON.stringify([describeExecution(aFullRecord), describeSummary(aFullRecord)])).not.toContain(
      'hidden',
    );
  });

  test('of an open execution has no end and no duration', () => {
    expect(describeSummary({ ...aFullRecord, status: 'running', endedAt: null })).toMatchObject({
      endedAt: null,
      durationMs: null,
    });
  });
});
