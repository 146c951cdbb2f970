import { describe, expect, test } from '@jest/globals';
import type { ExecutionResult } from '../../../lib/engine/result.ts';
import { findReconciledExecution } from '../../../lib/executions/lifecycle/finish-execution.ts';
import type { NewExecution } from '../../../lib/executions/lifecycle/new-execution.ts';
import { createRunExecution } from '../../../lib/executions/lifecycle/run-execution.ts';
import type { ExecutionStore } from '../../../lib/executions/record/execution-store.ts';
import {
  EVENT_NOT_PUBLISHED,
  STORE_UNAVAILABLE,
  WORKFLOW_INVALID,
} from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { anExecutionEnd, anExecutionStart, dueIn } from '../../support/a-start.ts';
import { aWorkflowListening } from '../../support/a-workflow-listening.ts';
import { keptEvents } from '../../support/an-inline-dispatcher.ts';
import { inMemoryBlobs } from '../../support/in-memory-blobs.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

const execution: NewExecution = {
  executionId: 'e-1',
  workflow: aWorkflowListening(),
  trigger: { nodeId: 'start', type: 'webhookTrigger' },
  input: { body: 1 },
  keepsResult: false,
  traceparent: null,
};

const result: ExecutionResult = {
  status: 'succeeded',
  nodes: [
    {
      nodeId: 'start',
      type: 'webhookTrigger',
      status: 'succeeded',
      iteration: 0,
      attempts: 1,
      startedAt: 100,
      durationMs: 0,
    },
  ],
  output: { done: true },
  response: null,
  failure: null,
};

type PreparedRun = Awaited<ReturnType<Parameters<typeof createRunExecution>[0]['prepare']>>;

/** All parts are real, except for the engine, which is `run`; one method of the store can fail. */
const aRun = (
  run: PreparedRun['run'] = async () => result,
  spoilt: Partial<ExecutionStore> = {},
  isPure = false,
) => {
  const store = inMemoryExecutionStore();
  const { logger, entries } = aRecordingLogger();
  const clock = { time: 100, now: () => clock.time };
  const runs: NewExecution[] = [];
  const prepare = async (given: NewExecution): Promise<PreparedRun> => ({
    isPure,
    run: async (start) => {
      runs.push(given);
      clock.time += 7;
      return run(start);
    },
  });
  let count = 0;
  const parts = {
    executions: { ...store, ...spoilt },
    prepare,
    clock,
    logger,
    ids: { next: () => `token-${count++}` },
    blobs: inMemoryBlobs(),
    ...keptEvents(),
  };
  return { store, entries, runs, parts, execute: createRunExecution(parts) };
};

const unavailable = () => Promise.reject(new AppError(STORE_UNAVAILABLE, {}));

describe('running an execution', () => {
  test('returns the result, and leaves a record', async () => {
    const { execute, store, entries } = aRun();
    expect(await execute(execution, 1_000)).toBe(result);
    expect(await store.find('e-1')).toMatchObject({
      executionId: 'e-1',
      workflowId: 'shop',
      workflowVersion: 1,
      trigger: { nodeId: 'start', type: 'webhookTrigger' },
      startedAt: 100,
      status: 'succeeded',
      endedAt: 107,
      nodes: result.nodes,
      nodesOmitted: 0,
      failure: null,
    });
    expect(entries).toEqual([]);
  });

  test('passes the execution and the recorded start to the engine', async () => {
    const given: number[] = [];
    const { execute, runs } = aRun(async ({ startedAt }) => {
      given.push(startedAt);
      return result;
    });
    await execute(execution, 1_000);
    expect(runs).toEqual([execution]);
    expect(given).toEqual([100]);
  });

  test('records the start before anything runs', async () => {
    const { execute, store } = aRun(async () => {
      expect(await store.find('e-1')).toMatchObject({ status: 'running' });
      return result;
    });
    await execute(execution, 1_000);
    expect.assertions(1);
  });

  test('records a failing workflow as failed', async () => {
    const failure = { nodeId: 'shop', name: 'Error', message: 'closed' };
    const { execute, store } = aRun(async () => ({ ...result, status: 'failed', failure }));
    expect((await execute(execution, 1_000)).status).toBe('failed');
    expect(await store.find('e-1')).toMatchObject({ status: 'failed', failure });
  });

  test('does not start a workflow that cannot be prepared', async () => {
    const { parts, store } = aRun();
    const prepare = () => Promise.reject(new AppError(WORKFLOW_INVALID, { reason: 'no' }));
    await expect(createRunExecution({ ...parts, prepare })(execution, 1_000)).rejects.toMatchObject({
      code: 'WORKFLOW_INVALID',
    });
    expect(store.records()).toEqual([]);
  });

  // holds: starts-once-or-not-at-all
  test('runs nothing without a recorded start', async () => {
    const { execute, runs } = aRun(undefined, { start: unavailable });
    await expect(execute(execution, 1_000)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(runs).toEqual([]);
  });

  // holds: starts-once-or-not-at-all
  test('does not run an execution that another call started', async () => {
    const { execute, store, runs } = aRun();
    const trigger = { nodeId: 'start', type: 'webhookTrigger' };
    await store.start(anExecutionStart({ status: 'running', trigger, startedAt: 99 }));
    await expect(execute(execution, 1_000)).rejects.toMatchObject({
      code: 'ALREADY_STARTED',
      parameters: { executionId: 'e-1' },
    });
    expect(runs).toEqual([]);
    expect(await store.find('e-1')).toMatchObject({ status: 'running', startedAt: 99 });
  });

  test('does not run an execution that has ended', async () => {
    const { execute, parts, runs } = aRun();
    await execute(execution, 1_000);
    const later = createRunExecution({ ...parts, clock: { now: () => 100 } });
    await expect(later(execution, 1_000)).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    expect(runs).toHaveLength(1);
  });

  test('runs after a start whose response was lost and which was written again', async () => {
    const { parts, store, runs } = aRun();
    const start: ExecutionStore['start'] = async (given) => {
      await store.start(given);
      return store.start(given);
    };
    const execute = createRunExecution({ ...parts, executions: { ...store, start } });
    expect(await execute(execution, 1_000)).toBe(result);
    expect(runs).toHaveLength(1);
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded' });
  });

  test('returns the result even if the end cannot be recorded', async () => {
    const { execute, entries } = aRun(undefined, { finish: unavailable });
    expect(await execute(execution, 1_000)).toBe(result);
    expect(entries).toEqual([
      {
        level: 'error',
        message: 'The end of the execution could not be recorded.',
        fields: expect.objectContaining({ executionId: 'e-1', workflowId: 'shop', status: 'succeeded' }),
      },
    ]);
  });

  test('keeps an end that is already recorded, and logs a warning', async () => {
    const { parts, store, entries } = aRun();
    const run = async () => {
      await store.finish('e-1', anExecutionEnd({ status: 'timedOut', endedAt: 1 }));
      return result;
    };
    const prepare = async () => ({ isPure: false, run });
    expect(await createRunExecution({ ...parts, prepare })(execution, 1_000)).toBe(result);
    expect(await store.find('e-1')).toMatchObject({ status: 'timedOut' });
    expect(entries).toMatchObject([{ level: 'warn' }]);
  });

  test.each<[string, PreparedRun['run']]>([
    ['rejects', () => Promise.reject(new Error('a bug'))],
    [
      'throws',
      () => {
        throw new Error('a bug');
      },
    ],
  ])('fails the execution when the engine %s, so that it does not run forever', async (_case, run) => {
    const { execute, store, entries } = aRun(run);
    const failure = { nodeId: 'start', name: 'InternalError', message: 'Something failed on our side.' };
    expect(await execute(execution, 1_000)).toMatchObject({
      status: 'failed',
      nodes: [],
      response: null,
      failure,
    });
    expect(await store.find('e-1')).toMatchObject({ status: 'failed', failure });
    expect(entries).toMatchObject([{ level: 'error', message: 'The engine failed.' }]);
  });
});

describe('the request of a run whose caller waited', () => {
  const ending = (status: ExecutionResult['status']) =>
    aRun(async () => ({ ...result, status, failure: { nodeId: 'start', name: 'Error', message: 'no' } }));

  test.each(['failed', 'timedOut'] as const)('is kept for a retry when it %s', async (status) => {
    const { execute, store } = ending(status);
    await execute(execution, 1_000);
    expect(await store.find('e-1')).toMatchObject({ status });
    expect(await store.findData('e-1')).toMatchObject({ input: 'j{"body":1}' });
  });

  test('is kept for as long as its record, however large it is', async () => {
    const { execute, parts } = ending('failed');
    const text = Array.from({ length: 30_000 }, () => Math.random().toString(36)[2]).join('');
    await execute({ ...execution, input: { body: text } }, 1_000);
    expect(parts.blobs.keys()).toEqual(['executions/brief/e-1/input']);
  });

  test('is not kept when it succeeds', async () => {
    const { execute, store } = aRun();
    await execute(execution, 1_000);
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded' });
    expect(await store.findData('e-1')).toBeNull();
  });
});

describe('a run without side effects', () => {
  const pure = (spoilt: Partial<ExecutionStore> = {}, run?: PreparedRun['run']) => aRun(run, spoilt, true);
  const never = () => Promise.reject(new Error('not for this run'));

  test('is recorded in one write, at its end', async () => {
    const seen: unknown[] = [];
    const run: PreparedRun['run'] = async () => {
      seen.push(await store.find('e-1'));
      return result;
    };
    const { execute, store, entries } = pure({ start: never, finish: never }, run);
    expect(await execute(execution, 1_000)).toBe(result);
    expect(seen).toEqual([null]);
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', startedAt: 100, endedAt: 107 });
    expect(entries).toEqual([]);
  });

  test('keeps its request when it fails, for a retry', async () => {
    const failure = { nodeId: 'start', name: 'Error', message: 'no' };
    const { execute, store } = pure({}, async () => ({ ...result, status: 'failed', failure }));
    await execute(execution, 1_000);
    expect(await store.find('e-1')).toMatchObject({ status: 'failed', failure });
    expect(await store.findData('e-1')).toMatchObject({ input: 'j{"body":1}' });
  });

  test('does not succeed without its record', async () => {
    const { execute } = pure({ startAndFinish: unavailable });
    await expect(execute(execution, 1_000)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('that was recorded before leaves that record', async () => {
    const { execute, store } = pure();
    await store.start(anExecutionStart({ status: 'running', startedAt: 99 }));
    await expect(execute(execution, 1_000)).rejects.toMatchObject({ code: 'ALREADY_STARTED' });
    expect(await store.find('e-1')).toMatchObject({ status: 'running', startedAt: 99 });
  });

  test('with a delivery key is recorded at its start, since repeated deliveries look for it', async () => {
    const { execute, store } = pure({ startAndFinish: never }, async () => {
      expect(await store.find('e-1')).toMatchObject({ status: 'running' });
      return result;
    });
    await execute({ ...execution, keepsResult: true }, 1_000);
    expect.assertions(1);
  });
});

describe('its completion event', () => {
  const publishing = (publish: () => Promise<void>) => {
    const { parts, store } = aRun();
    const published: string[] = [];
    const events = {
      publish: async ({ executionId, status }: { executionId: string; status: string }) => {
        await publish();
        published.push(`${executionId} ${status} ${(await store.find(executionId))?.status}`);
      },
    };
    return { published, store, execute: createRunExecution({ ...parts, events, usesOutbox: true }) };
  };

  // holds: events-at-least-once
  test('is published once it is recorded', async () => {
    const { published, store, execute } = publishing(async () => {});
    await execute(execution, 1_000);
    expect(published).toEqual(['e-1 succeeded succeeded']);
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', isInOutbox: false });
  });

  test.each([
    [{ metrics: true }, { hasMetrics: true }],
    [{}, {}],
  ])('of a workflow with the settings %j has %j', async (settings, marks) => {
    const { parts } = aRun();
    const { ends, events } = keptEvents();
    const { workflow } = execution;
    const definition = { ...workflow.definition, settings };
    const marked = { ...execution, workflow: { ...workflow, definition } };
    await createRunExecution({ ...parts, events })(marked, 1_000);
    expect(ends.map((end) => ('hasMetrics' in end ? { hasMetrics: end.hasMetrics } : {}))).toEqual([marks]);
  });

  test('is not published if it cannot be recorded: the record later says that the process was lost', async () => {
    const { parts, store } = aRun(undefined, { finish: unavailable });
    const { published, events } = keptEvents();
    const withOutbox = { ...parts, events, usesOutbox: true };
    expect(await createRunExecution(withOutbox)(execution, 1_000)).toBe(result);
    expect(published).toEqual([]);
    parts.clock.time += 16 * 60_000;
    await findReconciledExecution('e-1', { ...withOutbox, executions: store });
    expect(published).toEqual(['e-1 failed']);
  });

  test('is left to the sweeper when it cannot be published', async () => {
    const { store, execute } = publishing(() =>
      Promise.reject(new AppError(EVENT_NOT_PUBLISHED, { executionId: 'e-1' })),
    );
    expect(await execute(execution, 1_000)).toBe(result);
    expect(await store.find('e-1')).toMatchObject({ status: 'succeeded', isInOutbox: true });
    expect(await dueIn(store, Number.MAX_SAFE_INTEGER)).toEqual(['e-1']);
  });
});
