import { describe, expect, test } from '@jest/globals';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createSweepFunction } from '../../../lib/app/sweep-handler.ts';
import type { DurableService, DurableStatus } from '../../../lib/executions/durable-service.ts';
import { dispatchOrMarkDue } from '../../../lib/executions/lifecycle/accept-execution.ts';
import { reconcileExecution } from '../../../lib/executions/lifecycle/reconcile-execution.ts';
import { openPaces, RATES } from '../../../lib/executions/paces.ts';
import type { ReconcilePorts } from '../../../lib/executions/ports.ts';
import type {
  ExecutionRecord,
  ExecutionStart,
  ExecutionStore,
} from '../../../lib/executions/record/execution-store.ts';
import {
  DATA_VERSION_UNSUPPORTED,
  DISPATCH_REFUSED,
  EVENT_NOT_PUBLISHED,
  STORE_UNAVAILABLE,
} from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { aLease, anExecutionEnd, anExecutionStart, dueIn } from '../../support/a-start.ts';
import { aVirtualClock } from '../../support/a-virtual-clock.ts';
import { aWorkflow } from '../../support/a-workflow.ts';
import { keptEvents } from '../../support/an-inline-dispatcher.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';
import { removeIndex } from '../../support/remove-index.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const aSweeper = async (start: Partial<ExecutionStart> = {}, status: DurableStatus = 'running') => {
  const manual = aManualClock();
  /** Who sleeps lets time pass. */
  const clock = { ...manual, sleep: async (ms: number) => manual.advance(ms) };
  const executions = inMemoryExecutionStore();
  const workflows = inMemoryWorkflowStore();
  const { logger, entries } = aRecordingLogger();
  const { events, published, ends } = keptEvents();
  const dispatched: string[] = [];
  const stopped: string[] = [];
  await workflows.put(aWorkflow({ id: 'orders', settings: { timeoutSeconds: 7_200 } }), []);
  await executions.start(anExecutionStart({ workflowVersion: 1, startedAt: clock.now(), ...start }));
  const parts = {
    executions,
    queues: executions.queues,
    takeSlot: async () => true,
    noteVersions: async () => null,
    checkValues: async () => ({ checked: 0, removed: 0 }),
    workflows,
    events,
    usesOutbox: true,
    logger,
    clock,
    dispatcher: {
      dispatch: async (id: string, mode: string, redispatches = 0) =>
        void dispatched.push(`${id} ${mode} ${redispatches}`),
    },
    durableService: {
      findStatus: async () => status,
      stop: async (arn: string) => void stopped.push(arn),
      answerCallback: async () => false,
    },
  };
  return {
    clock,
    executions,
    parts,
    entries,
    dispatched,
    stopped,
    published,
    ends,
    record: () => executions.find('e-1'),
  };
};

const refuse = () => Promise.reject(new AppError(DISPATCH_REFUSED, {}));

const aLeasedRun = async (start: Partial<ExecutionStart> = {}, status: DurableStatus = 'running') => {
  const sweeper = await aSweeper(start, status);
  await sweeper.executions.acquireLease(
    'e-1',
    aLease({ leaseOwner: 'arn-1', leaseExpiresAt: sweeper.clock.now() }),
  );
  return sweeper;
};

describe('the sweeper', () => {
  // holds: accepted-runs-happen
  test('dispatches accepted executions that have not started, and extends their leases', async () => {
    const { parts, dispatched, executions, clock } = await aSweeper();
    // Lambda may have it in its queue until then.
    expect(await dueIn(executions, clock.now() + 15 * MINUTE - 1)).toEqual([]);
    clock.advance(15 * MINUTE);
    expect(await dueIn(executions, clock.now())).toEqual(['e-1']);
    await reconcileExecution('e-1', parts);
    expect(dispatched).toEqual(['e-1 durable 1']);
    expect(await dueIn(executions, clock.now() + 15 * MINUTE - 1)).toEqual([]);
  });

  // holds: accepted-runs-happen
  // holds: B14
  test('dispatches at once, and under the same name, what Lambda refused; the oldest first', async () => {
    const { parts, executions, dispatched, clock, record } = await aSweeper();
    clock.advance(MINUTE);
    await executions.start(anExecutionStart({ executionId: 'e-2', startedAt: clock.now() }));
    const refusing = { ...parts, dispatcher: { dispatch: refuse } };
    for (const id of ['e-2', 'e-1']) {
      const found = (await executions.find(id)) as ExecutionRecord;
      await expect(dispatchOrMarkDue(found, 'durable', refusing)).rejects.toThrow();
    }
    expect(await dueIn(executions, clock.now())).toEqual(['e-1', 'e-2']);
    await createSweepFunction(parts)({ source: 'aws.events' });
    expect(dispatched).toEqual(['e-1 durable 0', 'e-2 durable 0']);
    expect(await record()).toMatchObject({ redispatches: 0 });
    expect(await dueIn(executions, clock.now() + 14 * MINUTE)).toEqual([]);
  });

  test.each([
    ['was refused before', 0],
    ['may be in its queue', 20],
  ])('leaves what Lambda refuses for the next sweep: it %s', async (_what, minutes) => {
    const { parts, executions, clock, record, entries } = await aSweeper();
    clock.advance(minutes * MINUTE);
    if (minutes === 0) await executions.extendLease({ executionId: 'e-1', status: 'accepted' }, clock.now());
    const before = await record();
    const sweep = createSweepFunction({ ...parts, dispatcher: { dispatch: refuse } });
    for (let sweeps = 0; sweeps < 5; sweeps++) await sweep({ source: 'aws.events' });
    expect(await record()).toEqual(before);
    expect(await dueIn(executions, clock.now())).toEqual(['e-1']);
    const errors = entries.filter(({ level }) => level === 'error');
    expect(errors[0]).toMatchObject({
      message: 'Lambda refused to start executions; the next sweep retries them.',
      fields: { count: 1, executionId: 'e-1' },
    });
  });

  test('fails executions that Lambda refuses for a day, at the third try after that', async () => {
    const { parts, executions, clock, record } = await aSweeper();
    await executions.extendLease({ executionId: 'e-1', status: 'accepted' }, clock.now());
    const sweep = createSweepFunction({ ...parts, dispatcher: { dispatch: refuse } });
    clock.advance(24 * HOUR - 10 * MINUTE);
    await sweep({ source: 'aws.events' });
    clock.advance(20 * MINUTE);
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      expect(await record()).toMatchObject({ status: 'accepted', redispatches: sweeps });
      await sweep({ source: 'aws.events' });
    }
    await sweep({ source: 'aws.events' });
    expect(await record()).toMatchObject({ status: 'failed', failure: { name: 'NeverStarted' } });
  });

  test('repeats the dispatch, with growing delays, until a process starts it', async () => {
    const { parts, dispatched, executions, clock } = await aSweeper();
    clock.advance(15 * MINUTE);
    for (const minutes of [15, 30, 60, 60, 60, 60]) {
      await reconcileExecution('e-1', parts);
      expect(await dueIn(executions, clock.now() + minutes * MINUTE - 1)).toEqual([]);
      clock.advance(minutes * MINUTE);
      expect(await dueIn(executions, clock.now())).toEqual(['e-1']);
    }
    expect(dispatched).toEqual([1, 2, 3, 4, 5, 6].map((count) => `e-1 durable ${count}`));
    await executions.acquireLease('e-1', aLease({ leaseExpiresAt: clock.now() }));
    await reconcileExecution('e-1', parts);
    expect(dispatched).toHaveLength(6);
  });

  test('fails an execution that no process starts for a day', async () => {
    const { parts, dispatched, clock, record, published } = await aSweeper();
    clock.advance(24 * HOUR + 1);
    // Nobody has tried before: it was out of reach.
    for (let tries = 0; tries < 3; tries++) {
      await reconcileExecution('e-1', parts);
      expect(await record()).toMatchObject({ status: 'accepted' });
      clock.advance(HOUR);
    }
    expect(dispatched).toHaveLength(3);
    await reconcileExecution('e-1', parts);
    expect(dispatched).toHaveLength(3);
    expect(await record()).toMatchObject({ status: 'failed', failure: { name: 'NeverStarted' } });
    expect(published).toEqual(['e-1 failed']);
  });

  test('extends the lease of a run that the engine is running', async () => {
    const { parts, record, executions, clock } = await aLeasedRun();
    clock.advance(HOUR);
    await reconcileExecution('e-1', parts);
    const leaseExpiresAt = clock.now() + 20 * MINUTE;
    expect(await record()).toMatchObject({ status: 'running', leaseExpiresAt });
    expect(await dueIn(executions, clock.now() + 19 * MINUTE)).toEqual([]);
  });

  test.each<[DurableStatus, string, string]>([
    ['gone', 'failed', 'its durable execution no longer exists'],
    ['failed', 'failed', 'its durable execution failed'],
    ['succeeded', 'failed', 'its durable execution ended without recording a result'],
    ['timedOut', 'timedOut', 'its durable execution ran out of time'],
    ['stopped', 'cancelled', 'its durable execution was stopped from outside'],
  ])('finishes, with the reason, a run whose durable execution is %s', async (found, status, message) => {
    const { parts, record, executions, published, clock } = await aLeasedRun({}, found);
    const node = {
      nodeId: 'ask',
      type: 'approval',
      iteration: 0,
      attempts: 0,
      startedAt: clock.now(),
      durationMs: 0,
    };
    await executions.saveProgress('e-1', {
      status: 'waiting',
      nodes: [{ ...node, status: 'waiting' }],
      leaseExpiresAt: 0,
    });
    clock.advance(5_000);
    await reconcileExecution('e-1', parts);
    expect(await record()).toMatchObject({
      status,
      failure: { nodeId: 'ask', name: 'RunLost', message },
      nodes: [{ nodeId: 'ask', status: 'failed', durationMs: 5_000 }],
      isInOutbox: false,
    });
    expect(published).toHaveLength(1);
    await reconcileExecution('e-1', parts); // it has ended
    expect(published).toHaveLength(1);
  });

  test('times out a run past its deadline, and stops it', async () => {
    const { parts, record, clock } = await aLeasedRun();
    clock.advance(2 * HOUR + 1);
    const stopped: unknown[] = [];
    // The record first, so that the run can't change it while it is stopped.
    const stop = async (arn: string) => void stopped.push([arn, (await record())?.status]);
    await reconcileExecution('e-1', { ...parts, durableService: { ...parts.durableService, stop } });
    expect(await record()).toMatchObject({ status: 'timedOut', failure: { name: 'ExecutionTimeout' } });
    expect(stopped).toEqual([['arn-1', 'timedOut']]);
  });

  test.each(['running', 'waiting'] as const)(
    'checks a run that is %s, and has renewed its lease, when that expires',
    async (state) => {
      const { parts, executions, clock, dispatched, record } = await aSweeper();
      await executions.acquireLease('e-1', aLease());
      const leaseExpiresAt = clock.now() + HOUR;
      await executions.saveProgress('e-1', { status: state, nodes: [], leaseExpiresAt });
      clock.advance(16 * MINUTE);
      expect(await dueIn(executions, clock.now())).toEqual(['e-1']);
      await reconcileExecution('e-1', parts);
      expect(dispatched).toEqual([]);
      expect(await record()).toMatchObject({ status: state, leaseExpiresAt });
      const group = state === 'waiting' ? 'waiting' : 'active';
      expect(await dueIn(executions, leaseExpiresAt - 1)).toEqual([]);
      expect(await dueIn(executions, leaseExpiresAt, [group])).toEqual(['e-1']);
    },
  );

  test.each([
    ['leaves an express run alone for an hour from its last start', 59 * MINUTE, 'running'],
    ['then finishes it as lost', 61 * MINUTE, 'failed'],
  ])('%s', async (_what, age, status) => {
    const { parts, record, clock, executions } = await aSweeper({ mode: 'express' });
    clock.advance(3 * HOUR); // it was in line for long
    await executions.acquireLease(
      'e-1',
      aLease({ leaseOwner: 'request:1', leaseExpiresAt: clock.now() + HOUR }),
    );
    clock.advance(age);
    await reconcileExecution('e-1', parts);
    expect((await record())?.status).toBe(status);
  });

  // holds: events-at-least-once
  test('publishes an end in the outbox once', async () => {
    const { parts, executions, published, clock } = await aLeasedRun();
    await executions.finish('e-1', anExecutionEnd({ isInOutbox: true, endedAt: clock.now() }));
    await reconcileExecution('e-1', parts);
    expect(published).toEqual([]); // the process that ended it may be about to
    clock.advance(MINUTE);
    await reconcileExecution('e-1', parts);
    await reconcileExecution('e-1', parts);
    expect(published).toEqual(['e-1 succeeded']);
  });

  // holds: events-at-least-once
  test('keeps an end that still cannot be published in the outbox', async () => {
    const { parts, executions, record, entries, clock } = await aLeasedRun();
    await executions.finish('e-1', anExecutionEnd({ isInOutbox: true, endedAt: clock.now() }));
    clock.advance(MINUTE);
    const publish = () => Promise.reject(new AppError(EVENT_NOT_PUBLISHED, { executionId: 'e-1' }));
    await reconcileExecution('e-1', { ...parts, events: { publish } });
    expect(await record()).toMatchObject({ isInOutbox: true });
    expect(entries).toMatchObject([{ level: 'error' }]);
  });

  test.each<[true | undefined, string[]]>([
    [true, ['e-1']],
    [undefined, []],
  ])('lists an end that is unlisted: %s', async (isUnlisted, expected) => {
    const { parts, executions, record } = await aLeasedRun();
    await executions.finish('e-1', anExecutionEnd());
    const ended = (await record()) as ExecutionRecord;
    const listed: string[] = [];
    const spoilt: Partial<ExecutionStore> = {
      find: async () => ({ ...ended, ...(isUnlisted === undefined ? {} : { isUnlisted }) }),
      listEnd: async ({ executionId }) => void listed.push(executionId),
    };
    await reconcileExecution('e-1', { ...parts, executions: { ...executions, ...spoilt } });
    expect(listed).toEqual(expected);
  });

  test('does nothing for an unknown execution', async () => {
    const { parts } = await aSweeper();
    await expect(reconcileExecution('unknown', parts)).resolves.toBeUndefined();
  });
});

describe('a sweep reports', () => {
  const reported = async (parts: ReconcilePorts, id = 'e-1') => {
    const found: unknown[] = [];
    await reconcileExecution(id, parts, null, {
      count: (finding) => void found.push(finding),
      age: (of, forMs) => void found.push([of, forMs]),
    });
    return found;
  };

  test('what it dispatches again, and what it gives up after a day, with their ages', async () => {
    const { parts, clock } = await aSweeper();
    clock.advance(15 * MINUTE);
    expect(await reported(parts)).toEqual([['accepted', 15 * MINUTE], 'redispatched']);
    for (let tries = 0; tries < 2; tries++) await reconcileExecution('e-1', parts, { requestId: 'r-1' });
    clock.advance(24 * HOUR - 15 * MINUTE);
    expect(await reported(parts)).toEqual([['accepted', 24 * HOUR], 'redispatched']);
    clock.advance(2 * HOUR);
    expect(await reported(parts)).toEqual([['accepted', 26 * HOUR], 'givenUp']);
    expect(await reported(parts)).toEqual([]);
  });

  test('what it ends, and for how long a waiting run was due', async () => {
    const lost = await aLeasedRun({}, 'gone');
    expect(await reported(lost.parts)).toEqual(['reconciled']);
    const waiting = await aLeasedRun();
    const leaseExpiresAt = waiting.clock.now();
    await waiting.executions.saveProgress('e-1', { status: 'waiting', nodes: [], leaseExpiresAt });
    waiting.clock.advance(5_000);
    expect(await reported(waiting.parts)).toEqual([['waitingDue', 5_000]]);
    const late = await aLeasedRun();
    late.clock.advance(3 * HOUR);
    expect(await reported(late.parts)).toEqual(['reconciled']);
    const express = await aLeasedRun({ mode: 'express' });
    express.clock.advance(1);
    expect(await reported(express.parts)).toEqual(['reconciled']);
  });

  test('what it publishes', async () => {
    const { parts, executions, clock, ends } = await aLeasedRun();
    const endedAt = clock.now();
    await executions.finish('e-1', anExecutionEnd({ isInOutbox: true, endedAt }));
    expect(await reported(parts)).toEqual([]);
    clock.advance(MINUTE);
    expect(await reported(parts)).toEqual(['republished']);
    expect(ends).toMatchObject([{ executionId: 'e-1', endedAt }]);
  });
});

test('without a limit on its calls, what is refused or throttled is left as it is', async () => {
  const { parts, clock, record } = await aSweeper();
  clock.advance(15 * MINUTE);
  const before = await record();
  await expect(
    reconcileExecution('e-1', { ...parts, dispatcher: { dispatch: refuse } }),
  ).rejects.toMatchObject({ code: 'DISPATCH_REFUSED' });
  expect(await record()).toEqual(before);
  const leased = await aLeasedRun();
  const findStatus = async () => 'throttled' as const;
  const running = await leased.record();
  await reconcileExecution('e-1', {
    ...leased.parts,
    durableService: { ...leased.parts.durableService, findStatus },
  });
  expect(await leased.record()).toEqual(running);
});

test('what fails right after its first repeated dispatch is dispatched at once, under another name', async () => {
  const { parts, clock, dispatched } = await aSweeper();
  clock.advance(15 * MINUTE);
  await reconcileExecution('e-1', parts);
  clock.advance(MINUTE);
  await reconcileExecution('e-1', parts, { requestId: 'r-1' });
  expect(dispatched).toEqual(['e-1 durable 1', 'e-1 durable 2']);
});

test('a run is not timed out at its deadline, but due right after it', async () => {
  const { parts, executions, clock, record } = await aLeasedRun();
  await executions.saveProgress('e-1', { status: 'waiting', nodes: [], leaseExpiresAt: clock.now() });
  const deadline = clock.now() + 2 * HOUR;
  await reconcileExecution('e-1', parts);
  expect(await record()).toMatchObject({ status: 'waiting', leaseExpiresAt: deadline + 1 });
  clock.advance(2 * HOUR);
  await executions.extendLease({ executionId: 'e-1', status: 'waiting' }, clock.now());
  await reconcileExecution('e-1', parts);
  expect(await record()).toMatchObject({ status: 'waiting', leaseExpiresAt: deadline + 1 });
});

test('once Lambda has refused for ten seconds, nothing more is dispatched; a dead letter makes its execution due', async () => {
  const { parts, clock, dispatched, record } = await aSweeper();
  const paces = openPaces(RATES, clock);
  clock.advance(15 * MINUTE);
  for (let second = 0; second < 10; second++) {
    paces.durable.refused();
    clock.advance(1_000);
  }
  await reconcileExecution('e-1', { ...parts, paces });
  expect(await record()).toMatchObject({ redispatches: 0 });
  await reconcileExecution('e-1', { ...parts, paces }, { requestId: 'r-1' });
  const { startedAt } = (await record()) as ExecutionRecord;
  expect(await record()).toMatchObject({ redispatches: 2, leaseExpiresAt: startedAt });
  expect(dispatched).toEqual([]);
});

describe('the function', () => {
  /** As Lambda writes them: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
  const aQueueEvent = (requestId: string | null, ...bodies: unknown[]) => ({
    Records: bodies.map((body, at) => ({
      messageId: `m-${at}`,
      body,
      eventSource: 'aws:sqs',
      messageAttributes:
        requestId === null ? {} : { RequestID: { stringValue: requestId, dataType: 'String' } },
    })),
  });

  test('reconciles all due executions independently', async () => {
    const { parts, executions, dispatched, clock, entries } = await aSweeper();
    for (const id of ['e-2', 'e-3']) {
      await executions.start(anExecutionStart({ executionId: id, startedAt: clock.now() }));
    }
    clock.advance(16 * MINUTE);
    const dispatch = async (id: string) => {
      if (id === 'e-2') throw new AppError(DISPATCH_REFUSED, {});
      void dispatched.push(id);
    };
    const result = await createSweepFunction({ ...parts, dispatcher: { dispatch } })({
      source: 'aws.events',
    });
    expect(result).toEqual({ batchItemFailures: [] });
    expect(dispatched.sort()).toEqual(['e-1', 'e-3']);
    expect(entries).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  const anExpressRun = async () => {
    const sweeper = await aSweeper({ mode: 'express' });
    const leaseExpiresAt = sweeper.clock.now() + HOUR;
    await sweeper.executions.acquireLease('e-1', aLease({ leaseOwner: 'request:r-1', leaseExpiresAt }));
    return sweeper;
  };

  test.each([
    ['RequestId: r-1 Error: Task timed out after 900.00 seconds', 'Task timed out after 900.00 seconds'],
    [`no ${'x'.repeat(2_000)}`, `no ${'x'.repeat(297)}`],
    ['failed for {"password":"hunter2-hunter2"}', 'failed for {"password":"'],
  ])('records why the invocation failed, shortened and without secrets: %s', async (stringValue, shown) => {
    const { parts, record } = await anExpressRun();
    const event = aQueueEvent('r-1', '{"executionId":"e-1"}');
    const [letter] = event.Records;
    const messageAttributes = { ...letter?.messageAttributes, ErrorMessage: { stringValue } };
    await createSweepFunction(parts)({ Records: [{ ...letter, messageAttributes }] });
    const { message = '' } = (await record())?.failure ?? {};
    expect(message).toContain('its process failed, and so did the retries: ');
    expect(message).toContain(shown);
    expect(message.length).toBeLessThan(350);
    expect(message).not.toContain('hunter2');
  });

  test('finishes executions in the dead-letter queue, and keeps those it cannot reconcile', async () => {
    const { parts, record } = await anExpressRun();
    const sweep = createSweepFunction(parts);
    expect(await sweep(aQueueEvent('r-1', '{"executionId":"e-1"}', 'no JSON', '{}', null))).toEqual({
      batchItemFailures: [],
    });
    expect(await record()).toMatchObject({
      status: 'failed',
      failure: { name: 'ProcessLost', message: 'its process failed, and so did the retries' },
    });
    const find = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    const blind = createSweepFunction({ ...parts, executions: { ...parts.executions, find } });
    expect(await blind(aQueueEvent('r-1', '{"executionId":"e-1"}'))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-0' }],
    });
  });

  test('logs at each sweep why it cannot read stored data, and continues', async () => {
    const { parts, entries, dispatched, clock } = await aSweeper();
    clock.advance(16 * MINUTE);
    const problem = { problem: 'A later release has stored data.', remedy: 'Continue with it.' };
    await createSweepFunction({ ...parts, noteVersions: async () => problem })({ source: 'aws.events' });
    expect(entries).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'A later release has stored data. Continue with it.',
      }),
    );
    const fields = expect.objectContaining({ SweepFailed: 1 }); // which an alarm hears
    expect(entries).toContainEqual(expect.objectContaining({ fields }));
    const noteVersions = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));
    await createSweepFunction({ ...parts, noteVersions })({ source: 'aws.events' });
    expect(entries).toContainEqual(
      expect.objectContaining({ message: 'The versions of the stored data could not be read.' }),
    );
    expect(dispatched).toEqual(['e-1 durable 1']);
  });

  test('fails without its index, which Lambda counts and an alarm reports', async () => {
    const { parts, entries } = await aSweeper();
    const { sdk, client, tables } = await openDatabase();
    await removeIndex(sdk, tables.executions, 'bySweep');
    const executions = createExecutionStore(client, tables, { retentionDays: 30, clock: parts.clock });
    const sweep = createSweepFunction({ ...parts, executions, countsSweeps: true });
    await expect(sweep({ source: 'aws.events' })).rejects.toThrow(
      /does not have the specified index: bySweep/,
    );
    expect(entries).not.toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ Sweeps: 1 }) }),
    );
  });

  // holds: upgrades-read-old-data
  test('leaves data of a later release unchanged, and logs it once', async () => {
    const { parts, executions, clock, entries, record, dispatched } = await aSweeper();
    for (const id of ['e-2', 'e-3'])
      await executions.start(anExecutionStart({ executionId: id, startedAt: clock.now() }));
    clock.advance(48 * HOUR);
    const versions = { table: 'test-executions', version: 4, oldest: 2, newest: 3 };
    const find = () => Promise.reject(new AppError(DATA_VERSION_UNSUPPORTED, versions));
    const older = createSweepFunction({ ...parts, executions: { ...executions, find } });
    await older({ source: 'aws.events' });
    expect(await older(aQueueEvent('r-1', '{"executionId":"e-1"}'))).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm-0' }],
    });
    const message = 'Executions are waiting for a release that can read their data.';
    const errors = entries.filter(({ level }) => level === 'error');
    expect(errors.map(({ message: said, fields }) => [said, fields.count])).toEqual([
      [message, 3],
      [message, 1],
    ]);
    expect(await record()).toMatchObject({ status: 'accepted' });
    await createSweepFunction(parts)({ source: 'aws.events' });
    expect(dispatched.sort()).toEqual(['e-1 durable 1', 'e-2 durable 1', 'e-3 durable 1']);
  });

  test.each(['r-2', null])(
    'leaves a live run alone when the dead letter belongs to a duplicate: %s',
    async (id) => {
      const { parts, record } = await anExpressRun();
      await createSweepFunction(parts)(aQueueEvent(id, '{"executionId":"e-1"}'));
      expect(await record()).toMatchObject({ status: 'running', leaseOwner: 'request:r-1' });
    },
  );

  test.each(['express', 'durable'] as const)(
    'repeats the dispatch of an acknowledged %s run that no invocation could start',
    async (mode) => {
      const { parts, record, dispatched } = await aSweeper({ mode }, 'gone');
      await createSweepFunction(parts)(aQueueEvent('r-1', '{"executionId":"e-1"}'));
      expect(await record()).toMatchObject({ status: 'accepted', failure: null });
      expect(dispatched).toEqual([`e-1 ${mode} 2`]); // not the name of the one that is given up
    },
  );

  test('does not repeat at once what fails again and again', async () => {
    const { parts, record, dispatched, clock } = await aSweeper();
    const sweep = createSweepFunction(parts);
    await sweep(aQueueEvent('r-1', '{"executionId":"e-1"}'));
    clock.advance(MINUTE);
    await sweep(aQueueEvent('r-2', '{"executionId":"e-1"}'));
    expect(dispatched).toEqual(['e-1 durable 2']);
    expect(await record()).toMatchObject({ redispatches: 3, leaseExpiresAt: clock.now() + HOUR });
    clock.advance(HOUR);
    await sweep({ source: 'aws.events' });
    clock.advance(10 * MINUTE); // it was too old this time
    await sweep(aQueueEvent('r-3', '{"executionId":"e-1"}'));
    expect(dispatched).toEqual(['e-1 durable 2', 'e-1 durable 4', 'e-1 durable 5']);
  });

  test('makes an execution due that Lambda refuses after its dead letter, and removes the dead letter', async () => {
    const { parts, record, dispatched, clock } = await aSweeper();
    const refusing = createSweepFunction({ ...parts, dispatcher: { dispatch: refuse } });
    clock.advance(10 * MINUTE);
    expect(await refusing(aQueueEvent('r-1', '{"executionId":"e-1"}'))).toEqual({ batchItemFailures: [] });
    const { startedAt } = (await record()) as ExecutionRecord;
    expect(await record()).toMatchObject({ redispatches: 2, leaseExpiresAt: startedAt });
    await createSweepFunction(parts)({ source: 'aws.events' });
    expect(dispatched).toEqual(['e-1 durable 2']);
  });

  test('dispatches fifty a second again of what may be in Lambda’s queue, and as many as it accepts of the others', async () => {
    const took = async (isRefused: boolean) => {
      const { parts, executions, clock, dispatched } = await aSweeper({ mode: 'express' });
      for (let at = 2; at <= 1_000; at++)
        await executions.start(
          anExecutionStart({ executionId: `e-${at}`, mode: 'express', startedAt: clock.now() }),
        );
      if (isRefused)
        for (let at = 1; at <= 1_000; at++)
          await executions.extendLease({ executionId: `e-${at}`, status: 'accepted' }, clock.now());
      const { clock: virtual, run } = aVirtualClock(clock.now() + 16 * MINUTE);
      const startedAt = virtual.now();
      await run(createSweepFunction({ ...parts, clock: virtual })({ source: 'aws.events' }));
      expect(dispatched).toHaveLength(1_000);
      return virtual.now() - startedAt;
    };
    expect(await took(false)).toBeGreaterThan(20_000 - 1);
    expect(await took(true)).toBeLessThan(5_000);
  });

  test('queries the status of 25 durable executions a second, and of none when throttled', async () => {
    const { parts, executions, entries, record } = await aLeasedRun();
    for (let at = 2; at <= 500; at++) {
      const executionId = `e-${at}`;
      await executions.start(anExecutionStart({ executionId, startToken: executionId, workflowVersion: 1 }));
      await executions.acquireLease(executionId, aLease({ leaseOwner: 'arn-1', leaseExpiresAt: 0 }));
      await executions.extendLease({ executionId, status: 'running' }, 0);
    }
    await executions.extendLease({ executionId: 'e-1', status: 'running' }, 0);
    const sweep = async (findStatus: DurableService['findStatus']) => {
      const { clock, run } = aVirtualClock(parts.clock.now());
      let asked = 0;
      const durableService = {
        ...parts.durableService,
        findStatus: (arn: string) => {
          asked++;
          return findStatus(arn);
        },
      };
      const before = clock.now();
      await run(createSweepFunction({ ...parts, clock, durableService })({ source: 'aws.events' }));
      return { asked, seconds: (clock.now() - before) / 1_000 };
    };
    const throttled = await sweep(async () => 'throttled');
    expect(throttled.asked).toBeLessThan(100);
    expect(await record()).toMatchObject({ status: 'running', leaseExpiresAt: 0 });
    expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
    const usual = await sweep(async () => 'running');
    expect(usual.asked).toBe(500);
    expect(usual.seconds).toBeGreaterThan(500 / 25);
  });

  test('keeps the dead letter of a durable run while its status cannot be asked for', async () => {
    const { parts } = await aLeasedRun();
    const durableService = { ...parts.durableService, findStatus: async () => 'throttled' as const };
    expect(
      await createSweepFunction({ ...parts, durableService })(aQueueEvent('r-1', '{"executionId":"e-1"}')),
    ).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-0' }] });
  });

  test.each([{ Records: [null] }, { Records: [1, 'x', {}, { body: 1 }] }, null, 1, [], { Records: 'x' }])(
    'survives the event %j',
    async (event) => {
      const { parts } = await aSweeper();
      expect(await createSweepFunction(parts)(event)).toEqual({ batchItemFailures: [] });
    },
  );

  test('reconciles new executions however many wait longer, and all of them if there is time', async () => {
    const { parts, executions, dispatched, clock } = await aSweeper();
    for (let at = 0; at < 1_200; at++) {
      const executionId = `w-${at}`;
      await executions.start(anExecutionStart({ executionId, startToken: executionId, startedAt: 1 }));
      await executions.saveProgress(executionId, { status: 'waiting', nodes: [], leaseExpiresAt: at });
      await executions.extendLease({ executionId, status: 'waiting' }, at); // as an earlier sweep does
    }
    const sweep = createSweepFunction(parts);
    clock.advance(16 * MINUTE);
    let left = 31_000;
    // Time for a few of each group, and no more.
    await sweep({ source: 'aws.events' }, { getRemainingTimeInMillis: () => (left -= 50) });
    expect(dispatched).toEqual(['e-1 durable 1']);
    expect((await dueIn(executions, clock.now())).length).toBeGreaterThan(1_000);
    await sweep({ source: 'aws.events' });
    expect(await dueIn(executions, clock.now())).toEqual([]);
  });
});
