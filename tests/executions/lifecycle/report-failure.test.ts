import { describe, expect, test } from '@jest/globals';
import { cancelExecution } from '../../../lib/executions/lifecycle/cancel-execution.ts';
import { finishExecution, startAndFinish } from '../../../lib/executions/lifecycle/finish-execution.ts';
import { reconcileExecution } from '../../../lib/executions/lifecycle/reconcile-execution.ts';
import type { ExecutionStart, FinalStatus } from '../../../lib/executions/record/execution-store.ts';
import { type FailedExecution, LISTENER_TYPES } from '../../../lib/executions/record/failure-reports.ts';
import { DISPATCH_REFUSED, EVENT_NOT_PUBLISHED } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aManualClock } from '../../support/a-manual-clock.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { anExecutionEnd, anExecutionStart } from '../../support/a-start.ts';
import { keptEvents } from '../../support/an-inline-dispatcher.ts';
import { inMemoryExecutionStore, inMemoryWorkflowStore } from '../../support/in-memory-stores.ts';

const MINUTE = 60_000;

interface Setting {
  /** Whether a trigger asks for failures. */
  readonly isWanted?: boolean;
  /** Called before a report is sent. */
  readonly send?: () => Promise<void>;
}

/** An execution that is running, and what finishes it; calls in their order. */
const aRun = async ({ isWanted = true, send = async () => {} }: Setting = {}) => {
  const clock = aManualClock();
  const executions = inMemoryExecutionStore();
  const { logger, entries } = aRecordingLogger();
  const calls: string[] = [];
  const start = anExecutionStart({ startedAt: clock.now(), mode: 'inline', status: 'running' });
  const { events } = keptEvents();
  const parts = {
    executions: {
      ...executions,
      finish: async (...args: Parameters<typeof executions.finish>) => {
        calls.push(args[1].isInOutbox ? 'finish in the outbox' : 'finish');
        return executions.finish(...args);
      },
      markPublished: async (executionId: string) => {
        calls.push('leave the outbox');
        await executions.markPublished(executionId);
      },
    },
    events,
    usesOutbox: false,
    findReport: async ({ executionId, workflowId }: FailedExecution) => {
      calls.push(`ask for ${workflowId}`);
      if (!isWanted) return null;
      return async () => {
        await send();
        calls.push(`report ${executionId}`);
      };
    },
    workflows: inMemoryWorkflowStore(),
    dispatcher: { dispatch: async () => {} },
    durableService: {
      findStatus: async () => 'running' as const,
      stop: async () => {},
      answerCallback: async () => false,
    },
    clock,
    logger,
  };
  const end = (status: FinalStatus) => anExecutionEnd({ status, endedAt: clock.now() });
  return {
    parts,
    calls,
    clock,
    entries,
    end,
    start: async (changes: Partial<ExecutionStart> = {}) =>
      void (await executions.start({ ...start, ...changes })),
    finish: (status: FinalStatus, changes: Partial<ExecutionStart> = {}) =>
      finishExecution({ ...start, ...changes }, end(status), parts),
    isInOutbox: async () => (await executions.find('e-1'))?.isInOutbox,
    unstarted: start,
  };
};

describe('an execution that fails', () => {
  test.each<FinalStatus>(['failed', 'timedOut'])(
    '%s is reported before it leaves the outbox',
    async (status) => {
      const { start, finish, calls, isInOutbox } = await aRun();
      await start();
      await finish(status);
      expect(calls).toEqual(['ask for orders', 'finish in the outbox', 'report e-1', 'leave the outbox']);
      expect(await isInOutbox()).toBe(false);
    },
  );

  test('is reported even if recorded in one write with its start', async () => {
    const { parts, unstarted, end, calls } = await aRun();
    await startAndFinish(unstarted, end('failed'), parts);
    expect(calls).toEqual(['ask for orders', 'report e-1', 'leave the outbox']);
  });

  test('is recorded in one write, without the outbox, if no trigger asks for it', async () => {
    const { start, finish, calls } = await aRun({ isWanted: false });
    await start();
    await finish('failed');
    expect(calls).toEqual(['ask for orders', 'finish']);
  });

  test('stays in the outbox when the report is refused, until the sweeper sends it', async () => {
    let isUp = false;
    const { start, finish, calls, parts, clock, isInOutbox, entries } = await aRun({
      send: async () => {
        if (!isUp) throw new AppError(DISPATCH_REFUSED, {});
      },
    });
    await start();
    expect(await finish('failed')).toBe(true);
    expect(await isInOutbox()).toBe(true);
    expect(entries).toContainEqual(expect.objectContaining({ level: 'error' }));
    clock.advance(2 * MINUTE);
    isUp = true;
    await reconcileExecution('e-1', parts);
    await reconcileExecution('e-1', parts);
    expect(calls.filter((call) => call === 'report e-1')).toHaveLength(1);
    expect(await isInOutbox()).toBe(false);
  });

  test('is reported although its event cannot be published, for which it stays in the outbox', async () => {
    const { start, end, calls, parts, unstarted, isInOutbox } = await aRun();
    const publish = () => Promise.reject(new AppError(EVENT_NOT_PUBLISHED, { executionId: 'e-1' }));
    await start();
    await finishExecution(unstarted, end('failed'), { ...parts, events: { publish } });
    expect(calls).toContain('report e-1');
    expect(await isInOutbox()).toBe(true);
  });

  test.each(LISTENER_TYPES)(
    'is not reported if an %s started it, so that failures form no cycle',
    async (type) => {
      const { start, finish, calls } = await aRun();
      const trigger = { nodeId: 'start', type };
      await start({ trigger });
      await finish('failed', { trigger });
      expect(calls).toEqual(['finish']);
    },
  );

  test('is not reported twice: a second end changes nothing', async () => {
    const { start, finish, calls } = await aRun();
    await start();
    await finish('failed');
    expect(await finish('timedOut')).toBe(false);
    expect(calls.filter((call) => call.startsWith('report'))).toHaveLength(1);
  });
});

describe('no failure is reported', () => {
  test('for an execution that succeeds', async () => {
    const { start, finish, calls } = await aRun();
    await start();
    await finish('succeeded');
    expect(calls).toEqual(['finish']);
  });

  test('for an execution that is cancelled', async () => {
    const { start, calls, parts } = await aRun();
    await start({ mode: 'express' });
    await cancelExecution('e-1', parts);
    expect(calls).toEqual(['finish']);
  });
});
