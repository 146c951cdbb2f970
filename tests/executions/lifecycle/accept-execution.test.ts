import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { acceptExecution } from '../../../lib/executions/lifecycle/accept-execution.ts';
import { toStart } from '../../../lib/executions/lifecycle/new-execution.ts';
import type { ExecutionRecord, ExecutionStore } from '../../../lib/executions/record/execution-store.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import type { BackgroundMode } from '../../../lib/workflows/definition/definition.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { aWorkflowListening } from '../../support/a-workflow-listening.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const MINUTE = 60_000;

const aService = (spoilt: Partial<ExecutionStore> = {}, mode: BackgroundMode = 'durable') => {
  const clock = aManualClock();
  const executions = inMemoryExecutionStore();
  const { logger, entries } = aRecordingLogger();
  const dispatched: string[] = [];
  const blobs = inMemoryBlobs();
  let isRefusing = false;
  let ids = 0;
  const startedAt = clock.now();
  /** Delivers the same request, whose first delivery came at the start. */
  const deliver = (held: 'paused' | null = null, input: JsonObject = { body: 1 }, refusal?: string) =>
    acceptExecution(
      {
        executionId: 'e-1',
        workflow: aWorkflowListening(),
        trigger: { nodeId: 'start', type: 'webhookTrigger' },
        input,
        ...(refusal === undefined ? {} : { refusal }),
        keepsResult: false,
        traceparent: null,
      },
      { mode, startedAt, isRepeatable: true, held: held && { reason: held } },
      {
        executions: { ...executions, ...spoilt },
        dispatcher: {
          dispatch: async (id, mode) => {
            if (isRefusing) throw new AppError(DISPATCH_REFUSED, {});
            dispatched.push(`${id} ${mode}`);
          },
        },
        blobs,
        ids: { next: () => `id-${ids++}` },
        clock,
        logger,
      },
    );
  return {
    clock,
    executions,
    entries,
    dispatched,
    blobs,
    startedAt,
    deliver,
    record: async () => (await executions.find('e-1')) as ExecutionRecord,
    refuse: (next: boolean) => {
      isRefusing = next;
    },
  };
};

describe('a repeated delivery', () => {
  test('finds the first execution, and dispatches it again at once: a durable one starts once by its name', async () => {
    const { deliver, dispatched, startedAt } = aService();
    expect(await deliver()).toBeNull();
    expect(await deliver()).toMatchObject({ executionId: 'e-1', startedAt });
    expect(dispatched).toEqual(['e-1 durable', 'e-1 durable']);
  });

  test('of an express run finds the first execution; within ten seconds, its dispatch may be in progress', async () => {
    const { deliver, dispatched, clock, record, startedAt } = aService({}, 'express');
    expect(await deliver()).toBeNull();
    clock.advance(9_999);
    expect(await deliver()).toMatchObject({ executionId: 'e-1', startedAt });
    expect(dispatched).toEqual(['e-1 express']);
    expect((await record()).leaseExpiresAt).toBe(startedAt + 10_000); // the sweeper checks it soon
    clock.advance(1);
    await deliver();
    expect(dispatched).toEqual(['e-1 express', 'e-1 express']);
  });

  test('postpones no check by the sweeper', async () => {
    const { deliver, executions, record, startedAt } = aService({}, 'express');
    await deliver();
    for (const leaseExpiresAt of [startedAt + 5_000, startedAt + 10_000]) {
      await executions.extendLease({ executionId: 'e-1', status: 'accepted' }, leaseExpiresAt);
      await deliver();
      expect((await record()).leaseExpiresAt).toBe(leaseExpiresAt);
    }
  });

  test('dispatches at once what Lambda refused, and changes nothing else', async () => {
    const { deliver, refuse, dispatched, record, startedAt } = aService();
    refuse(true);
    await expect(deliver()).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
    expect(await record()).toMatchObject({ status: 'accepted', leaseExpiresAt: startedAt });
    refuse(false);
    await deliver();
    expect(dispatched).toEqual(['e-1 durable']);
  });

  test('of an execution that has started, is held or has ended dispatches nothing', async () => {
    const { deliver, dispatched, clock, executions } = aService();
    await deliver('paused');
    clock.advance(MINUTE);
    expect(await deliver()).toMatchObject({ held: 'paused' });
    const other = aService();
    await other.deliver();
    const lease = { leaseOwner: 'arn-1', journalSize: 0, crashes: 0, invocations: 1 };
    await other.executions.acquireLease('e-1', { ...lease, leaseExpiresAt: other.clock.now() + MINUTE });
    other.clock.advance(5 * MINUTE);
    expect(await other.deliver()).toMatchObject({ status: 'running' });
    expect([dispatched, other.dispatched]).toEqual([[], ['e-1 durable']]);
    expect(await executions.find('e-1')).toMatchObject({ held: 'paused', status: 'accepted' });
  });

  test('of a large request reads no second copy into the store', async () => {
    const { deliver, blobs } = aService();
    const text = Array.from({ length: 30_000 }, () => Math.random().toString(36)).join('');
    await deliver(null, { body: text });
    const keys = blobs.keys();
    expect(keys).toHaveLength(1);
    await deliver(null, { body: `${text}x` });
    expect(blobs.keys()).toEqual(keys);
  });
});

test('a delivery that another process accepts at the same moment finds its execution', async () => {
  const first = aService();
  await first.deliver();
  let finds = 0;
  const find: ExecutionStore['find'] = async (id) => (finds++ === 0 ? null : first.executions.find(id));
  const second = aService({ find, start: () => Promise.resolve(false) });
  expect(await second.deliver()).toMatchObject({ executionId: 'e-1', status: 'accepted' });
  expect([first.dispatched, second.dispatched]).toEqual([['e-1 durable'], ['e-1 durable']]);
});

test('of an input that cannot be run, the reason is stored instead', async () => {
  const { deliver, executions } = aService();
  await deliver(null, { body: 1 }, 'it is nested too deeply');
  expect((await executions.findData('e-1'))?.input).toBe('xit is nested too deeply');
});

test('a delivery whose record disappears as it is repeated is refused, since nothing would run', async () => {
  const find = () => Promise.resolve(null);
  const { deliver, dispatched } = aService({ find });
  await deliver();
  await expect(aService({ find, start: () => Promise.resolve(false) }).deliver()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
  expect(dispatched).toEqual(['e-1 durable']);
});

test('a refused dispatch is reported even if the execution cannot be marked as due', async () => {
  const extendLease = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
  const { deliver, refuse, entries } = aService({ extendLease });
  refuse(true);
  await expect(deliver()).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
  expect(entries).toMatchObject([{ level: 'warn', fields: { executionId: 'e-1' } }]);
});

test.each([
  [{}, {}],
  [{ metrics: true }, { hasMetrics: true }],
  [{ highVolume: true }, { isHighVolume: true }],
  [{ metrics: false, highVolume: false }, {}],
])('an execution of a workflow with the settings %j has %j', (settings, marks) => {
  const workflow = aWorkflowListening();
  const start = toStart(
    {
      executionId: 'e-1',
      workflow: { ...workflow, definition: { ...workflow.definition, settings } },
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      keepsResult: false,
      traceparent: null,
    },
    { mode: 'express', status: 'accepted', startedAt: 1, startToken: 't', input: null, callbackKey: null },
  );
  const { hasMetrics, isHighVolume } = start;
  expect({
    ...(hasMetrics === undefined ? {} : { hasMetrics }),
    ...(isHighVolume === undefined ? {} : { isHighVolume }),
  }).toEqual(marks);
});
