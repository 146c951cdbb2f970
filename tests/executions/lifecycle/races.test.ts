import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createExecutionStore } from '../../../lib/adapters/dynamodb/executions/execution-store.ts';
import { createExpressFunction } from '../../../lib/app/express-handler.ts';
import { acceptExecution } from '../../../lib/executions/lifecycle/accept-execution.ts';
import { cancelExecution } from '../../../lib/executions/lifecycle/cancel-execution.ts';
import { RUNNING_LEASE_MS } from '../../../lib/executions/lifecycle/limits.ts';
import { reconcileExecution } from '../../../lib/executions/lifecycle/reconcile-execution.ts';
import { DISPATCH_REFUSED, STORE_UNAVAILABLE } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aBackgroundService, aFlow } from '../../support/a-background-service.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { dueIn } from '../../support/a-start.ts';
import { namePoints } from '../../support/named-points.ts';
import { useTestDatabases } from '../../support/test-database.ts';

const openDatabase = useTestDatabases();

const QUARTER_HOUR = 900_000;

const shipping = aFlow({
  nodes: [
    { id: 'ship', type: 'call' },
    { id: 'pack', type: 'call' },
  ],
  edges: ['start -> ship', 'ship -> pack'],
});
const pure = aFlow({
  nodes: [{ id: 'keep', type: 'set', parameters: { values: { a: 1 } } }],
  edges: ['start -> keep'],
});

/** One express execution, `e-1`, on DynamoDB; and the processes that accept, run, sweep and cancel it. */
const aRace = async (definition = shipping) => {
  const clock = aManualClock();
  const { client, tables } = await openDatabase();
  const service = await aBackgroundService({ clock, call: () => ports.call() });
  const executions = createExecutionStore(client, tables, { retentionDays: 30, clock });
  const dispatched: number[] = [];
  const { ports, task, ...points } = namePoints({
    executions,
    events: service.parts.events,
    dispatcher: {
      dispatch: async (_id: string, _mode: string, redispatches = 0) => void dispatched.push(redispatches),
    },
    call: async () => ({}),
  });
  const { ids } = service.parts.services;
  const durableService = {
    findStatus: async () => 'gone' as const,
    stop: async () => {},
    answerCallback: async () => false,
  };
  const parts = { ...service.parts, ...ports, usesOutbox: true, clock, ids, durableService };
  const express = createExpressFunction(parts);
  await service.put(definition);
  const workflow = await service.workflows.find('order');
  if (workflow === null) throw new Error('the workflow is not stored');
  const accept = ({ isRepeatable = false } = {}) =>
    task(() =>
      acceptExecution(
        {
          executionId: 'e-1',
          workflow,
          input: { body: {} },
          keepsResult: false,
          traceparent: null,
          trigger: { nodeId: 'start', type: 'webhookTrigger' },
        },
        { mode: 'express', startedAt: clock.now(), isRepeatable },
        parts,
      ),
    );
  return {
    ...service,
    ...points,
    clock,
    dispatched,
    accept,
    /** @param request - of the asynchronous invocation, which Lambda repeats under the same id */
    run: (request = 'r-1') => task(() => express({ executionId: 'e-1' }, { awsRequestId: request })),
    /** @param ahead - by how many milliseconds the sweeper's clock is ahead */
    sweep: (ahead = 0) =>
      task(() => reconcileExecution('e-1', { ...parts, clock: { now: () => clock.now() + ahead } })),
    cancel: () => task(() => cancelExecution('e-1', parts)),
    due: (ahead: number) => dueIn(executions, clock.now() + ahead),
    record: () => executions.find('e-1'),
    warnings: () => service.entries.map(({ message }) => message),
  };
};

const refusal = new AppError(DISPATCH_REFUSED, {});
const HAD_ENDED = 'The execution had ended before; its record stays.';
const NOTHING_TO_RUN = 'The execution has ended, is leased by another owner, or is unknown: nothing is run.';

describe('a dispatch', () => {
  // holds: B5
  test('that hangs until the sweeper has repeated it starts no second run', async () => {
    const { accept, sweep, run, hold, clock, dispatched, called, warnings } = await aRace();
    const dispatch = hold('dispatcher.dispatch:before');
    const accepting = accept();
    await dispatch.reached;
    clock.advance(QUARTER_HOUR);
    await sweep();
    expect(dispatched).toEqual([1]);
    const call = hold('call:before');
    const running = run('r-1');
    await call.reached;
    dispatch.release();
    await accepting;
    await run('r-2');
    expect(warnings()).toEqual([NOTHING_TO_RUN]);
    call.release();
    await running;
    expect(called).toEqual(['ship/0', 'pack/0']);
  });

  // holds: B3
  test('whose answer is lost does not withdraw the run that has started meanwhile', async () => {
    const { accept, run, hold, fail, record } = await aRace();
    fail('dispatcher.dispatch:after', refusal);
    const withdrawal = hold('executions.withdraw:before');
    const accepting = accept();
    await withdrawal.reached;
    const call = hold('call:before');
    const running = run();
    await call.reached;
    withdrawal.release();
    expect(await accepting).toBeNull();
    expect(await record()).toMatchObject({ status: 'running' });
    call.release();
    await running;
    expect(await record()).toMatchObject({ status: 'succeeded' });
  });

  test('whose answer is lost does not take the lease of the run that has started meanwhile', async () => {
    const { accept, run, sweep, hold, fail, clock, record, dispatched } = await aRace();
    fail('dispatcher.dispatch:after', refusal);
    const marking = hold('executions.extendLease:before');
    const accepting = accept({ isRepeatable: true });
    await marking.reached;
    const call = hold('call:before');
    const running = run();
    await call.reached;
    marking.release();
    await expect(accepting).rejects.toThrow(refusal);
    expect(await record()).toMatchObject({ leaseExpiresAt: clock.now() + RUNNING_LEASE_MS.express });
    await sweep();
    expect(dispatched).toEqual([0]);
    call.release();
    await running;
    expect(await record()).toMatchObject({ status: 'succeeded' });
  });

  // holds: B14
  test('by the sweeper is not counted once the run has started', async () => {
    const { accept, run, sweep, hold, clock, record } = await aRace();
    await accept();
    clock.advance(QUARTER_HOUR);
    const dispatch = hold('dispatcher.dispatch:after');
    const sweeping = sweep();
    await dispatch.reached;
    const call = hold('call:before');
    const running = run();
    await call.reached;
    dispatch.release();
    await sweeping;
    const leaseExpiresAt = clock.now() + RUNNING_LEASE_MS.express;
    expect(await record()).toMatchObject({ status: 'running', redispatches: 0, leaseExpiresAt });
    call.release();
    await running;
  });

  // holds: B1
  test('that a crash prevents is made by the sweeper', async () => {
    const { accept, sweep, kill, clock, dispatched } = await aRace();
    const stored = kill('executions.start:after');
    void accept();
    await stored.reached;
    clock.advance(QUARTER_HOUR);
    await sweep();
    expect(dispatched).toEqual([1]);
  });
});

describe('a lease', () => {
  // holds: B4
  test('is asked for only once all data is loaded', async () => {
    const { accept, run, fail, called, record } = await aRace();
    await accept();
    fail('executions.findData:before', new AppError(STORE_UNAVAILABLE, {}));
    await expect(run()).rejects.toThrow();
    expect(await record()).toMatchObject({ status: 'accepted', leaseOwner: null, invocations: 0 });
    await run();
    expect([called, await record()]).toMatchObject([['ship/0', 'pack/0'], { status: 'succeeded' }]);
  });

  // holds: B5
  test('that two invocations ask for at once is given to one, and the other runs nothing', async () => {
    const { accept, run, hold, called, ends, warnings } = await aRace();
    await accept();
    const points = [hold('executions.acquireLease:before'), hold('executions.acquireLease:before')];
    const runs = [run('r-1'), run('r-2')];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    await Promise.all(runs);
    expect(called).toEqual(['ship/0', 'pack/0']);
    expect([ends.length, warnings()]).toEqual([1, [NOTHING_TO_RUN]]);
  });

  // holds: B6, B11
  test('that is lost to the sweeper while a node runs ends the run before its next node', async () => {
    const { accept, run, sweep, hold, clock, called, published, record, warnings } = await aRace();
    await accept();
    const call = hold('call:before');
    const running = run();
    await call.reached;
    await sweep(RUNNING_LEASE_MS.express);
    const progress = hold('executions.saveProgress:after');
    clock.advance(1_000);
    await progress.reached;
    progress.release();
    await setImmediate(); // the run has ended its node by then
    call.release();
    await running;
    expect(called).toEqual(['ship/0']);
    expect(published).toEqual(['e-1 failed']);
    expect(await record()).toMatchObject({ status: 'failed', failure: { name: 'ProcessLost' } });
    expect(warnings()).toEqual([HAD_ENDED]);
  });

  // holds: B13
  test('that is longer than the index of sweeps says leaves the run to itself, and the sweep until its end', async () => {
    const { accept, run, sweep, due, hold, record } = await aRace();
    await accept();
    const call = hold('call:before');
    const running = run();
    await call.reached;
    expect(await due(QUARTER_HOUR)).toEqual(['e-1']);
    await sweep(QUARTER_HOUR);
    expect(await due(QUARTER_HOUR)).toEqual([]);
    call.release();
    await running;
    expect(await record()).toMatchObject({ status: 'succeeded' });
  });
});

describe('the end of an execution', () => {
  // holds: B5, B11
  test('of a run without side effects that runs twice at once is recorded and published once', async () => {
    const { accept, run, hold, published, warnings } = await aRace(pure);
    await accept();
    const points = [hold('executions.finish:before'), hold('executions.finish:before')];
    const runs = [run('r-1'), run('r-2')];
    await Promise.all(points.map(({ reached }) => reached));
    for (const { release } of points) release();
    await Promise.all(runs);
    expect(published).toEqual(['e-1 succeeded']);
    expect(warnings()).toEqual([HAD_ENDED]);
  });

  // holds: B11
  test('that an operator has just cancelled stays cancelled when its run ends', async () => {
    const { accept, run, cancel, hold, published, record } = await aRace();
    await accept();
    const end = hold('executions.finish:before');
    const running = run();
    await end.reached;
    await cancel();
    end.release();
    await running;
    expect(await record()).toMatchObject({ status: 'cancelled' });
    expect(published).toEqual(['e-1 cancelled']);
  });

  // holds: B11
  test('that its run has just recorded cannot be cancelled', async () => {
    const { accept, run, cancel, hold, published, record } = await aRace();
    await accept();
    const end = hold('executions.finish:before');
    const cancelling = cancel();
    await end.reached;
    await run();
    end.release();
    await expect(cancelling).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    expect(await record()).toMatchObject({ status: 'succeeded' });
    expect(published).toEqual(['e-1 succeeded']);
  });

  // holds: B11
  test('that the sweeper gives a lost run does not replace the one that the run has just recorded', async () => {
    const { accept, run, sweep, hold, published, record } = await aRace();
    await accept();
    const call = hold('call:before');
    const running = run();
    await call.reached;
    const end = hold('executions.finish:before');
    const sweeping = sweep(RUNNING_LEASE_MS.express);
    await end.reached;
    call.release();
    await running;
    end.release();
    await sweeping;
    expect(await record()).toMatchObject({ status: 'succeeded' });
    expect(published).toEqual(['e-1 succeeded']);
  });

  // holds: B12
  test('is not published before it is recorded, and is published by the sweeper after a crash in between', async () => {
    const { accept, run, sweep, kill, published, record } = await aRace();
    await accept();
    const recorded = kill('executions.finish:after');
    void run();
    await recorded.reached;
    expect(published).toEqual([]);
    await sweep(); // the run may be about to publish it
    expect(published).toEqual([]);
    await sweep(60_001);
    await sweep(60_001);
    expect(published).toEqual(['e-1 succeeded']);
    expect(await record()).toMatchObject({ isInOutbox: false });
  });

  // holds: B12
  test('that is published before a crash is published again, as the same event', async () => {
    const { accept, run, sweep, kill, ends } = await aRace();
    await accept();
    const sent = kill('events.publish:after');
    void run();
    await sent.reached;
    await sweep(60_001);
    await sweep(60_001);
    expect(ends).toHaveLength(2);
    expect(ends[1]).toEqual(ends[0]);
  });
});
