import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import type { DurableService } from '../../../lib/executions/durable-service.ts';
import { cancelExecution } from '../../../lib/executions/lifecycle/cancel-execution.ts';
import type {
  EndedExecution,
  ExecutionStart,
  ExecutionStore,
  FinalStatus,
} from '../../../lib/executions/record/execution-store.ts';
import { ENGINE_UNAVAILABLE, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { aLease, anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const NOW = 1_700_000_009_000;

const aWaitingNode: NodeRecord = {
  nodeId: 'approve',
  type: 'approval',
  status: 'waiting',
  iteration: 0,
  attempts: 1,
  startedAt: 1_700_000_001_000,
  durationMs: 0,
};

const anEndedNode: NodeRecord = { ...aWaitingNode, nodeId: 'start', status: 'succeeded', durationMs: 5 };

interface Setting {
  readonly start?: Partial<ExecutionStart>;
  readonly stop?: DurableService['stop'];
  readonly executions?: (store: ExecutionStore) => Partial<ExecutionStore>;
  readonly usesOutbox?: boolean;
}

const aService = async ({ start, stop, executions: spoil = () => ({}), usesOutbox = true }: Setting = {}) => {
  const store = inMemoryExecutionStore();
  await store.start(anExecutionStart(start));
  const stopped: string[] = [];
  const published: EndedExecution[] = [];
  const { logger, entries } = aRecordingLogger();
  const parts = {
    executions: { ...store, ...spoil(store) },
    durableService: {
      stop:
        stop ??
        (async (arn: string, reason: string) => {
          stopped.push(`${arn}: ${reason}`);
        }),
    },
    events: {
      publish: async (ended: EndedExecution) => {
        published.push(ended);
      },
    },
    usesOutbox,
    logger,
    clock: { now: () => NOW },
  };
  const acquireLease = (leaseOwner = 'arn:1') =>
    store.acquireLease('e-1', aLease({ leaseOwner, leaseExpiresAt: 0 }));
  const wait = async () => {
    await acquireLease();
    await store.saveProgress('e-1', {
      status: 'waiting',
      nodes: [anEndedNode, aWaitingNode],
      checkpoints: 'j{}',
      leaseExpiresAt: 0,
    });
  };
  const cancel = (id = 'e-1') => cancelExecution(id, parts);
  return { cancel, store, acquireLease, wait, stopped, published, entries };
};

describe('cancelling', () => {
  // holds: B15
  test('finishes the record at the open node, then stops the durable execution', async () => {
    const { cancel, wait, store, stopped } = await aService();
    await wait();
    expect(await cancel()).toBe(true);
    expect(await store.find('e-1')).toMatchObject({
      status: 'cancelled',
      endedAt: NOW,
      failure: { nodeId: 'approve', name: 'Cancelled', message: 'cancelled by an operator' },
      nodes: [
        { nodeId: 'start', status: 'succeeded' },
        { nodeId: 'approve', status: 'failed', durationMs: 8_000 },
      ],
    });
    expect(await store.findData('e-1')).toMatchObject({ checkpoints: 'j{}' });
    expect(stopped).toEqual(['arn:1: cancelled by an operator']);
  });

  test('publishes the end once, and marks it as published', async () => {
    const { cancel, wait, store, published } = await aService();
    await wait();
    await cancel();
    expect(published).toMatchObject([{ executionId: 'e-1', status: 'cancelled', endedAt: NOW }]);
    expect(await store.find('e-1')).toMatchObject({ isInOutbox: false });
  });

  test('keeps an accepted execution from starting', async () => {
    const { cancel, acquireLease, stopped, store } = await aService();
    await cancel();
    expect(await acquireLease()).toBeNull();
    expect(await store.find('e-1')).toMatchObject({ status: 'cancelled', failure: { nodeId: 'start' } });
    expect(stopped).toEqual([]);
  });

  test('stops an execution that started just before its record was finished', async () => {
    const { cancel, stopped } = await aService({
      executions: (store) => ({
        finish: async (id, end) => {
          await store.acquireLease(id, aLease({ leaseOwner: 'arn:late', leaseExpiresAt: 0 }));
          return store.finish(id, end);
        },
      }),
    });
    await cancel();
    expect(stopped).toEqual(['arn:late: cancelled by an operator']);
  });

  test('has nothing to stop for an express run, which ends at its next step', async () => {
    const { cancel, acquireLease, stopped, store } = await aService({ start: { mode: 'express' } });
    await acquireLease('request:1');
    expect(await cancel()).toBe(true);
    expect(stopped).toEqual([]);
    expect(await store.find('e-1')).toMatchObject({ status: 'cancelled' });
  });

  test('succeeds when the durable execution cannot be stopped, and says and logs that', async () => {
    const { cancel, wait, store, entries } = await aService({
      stop: () => Promise.reject(new AppError(ENGINE_UNAVAILABLE, {})),
    });
    await wait();
    expect(await cancel()).toBe(false);
    expect(await store.find('e-1')).toMatchObject({ status: 'cancelled' });
    expect(entries).toMatchObject([{ level: 'warn', fields: { executionId: 'e-1' } }]);
  });
});

describe('cancelling is refused', () => {
  test.each<FinalStatus>(['succeeded', 'failed', 'cancelled', 'timedOut'])(
    'for an execution that has ended as %s, whose end stays',
    async (status) => {
      const { cancel, store, published, stopped } = await aService();
      await store.finish('e-1', anExecutionEnd({ status }));
      await expect(cancel()).rejects.toMatchObject({
        code: 'NOT_CANCELLABLE',
        status: 409,
        message: expect.stringContaining(`it has already ended, with the status ${status}`),
      });
      expect(await store.find('e-1')).toMatchObject({ status, endedAt: 1_700_000_000_500 });
      expect([published, stopped]).toEqual([[], []]);
    },
  );

  test('for an execution that ends at the same moment', async () => {
    const { cancel, published, stopped, store } = await aService({
      executions: (own) => ({
        finish: async (id, end) => {
          await own.finish(id, anExecutionEnd());
          return own.finish(id, end);
        },
      }),
    });
    await expect(cancel()).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect([published, stopped]).toEqual([[], []]);
  });

  test('for an execution whose caller waits', async () => {
    const { cancel, store } = await aService({ start: { mode: 'inline', status: 'running' } });
    await expect(cancel()).rejects.toMatchObject({
      code: 'NOT_CANCELLABLE',
      message: expect.stringContaining('it ends within seconds'),
    });
    expect(await store.find('e-1')).toMatchObject({ status: 'running' });
  });

  test.each(['e-2', '', '../e-1'])('for "%s", which is not an execution', async (id) => {
    const { cancel } = await aService();
    await expect(cancel(id)).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND', status: 404 });
  });

  test('while the store is unavailable, and nothing is stopped', async () => {
    const { cancel, wait, stopped } = await aService({
      executions: () => ({ finish: () => Promise.reject(new AppError(STORE_UNAVAILABLE, {})) }),
    });
    await wait();
    await expect(cancel()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(stopped).toEqual([]);
  });
});
