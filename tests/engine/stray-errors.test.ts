import { describe, expect, test } from '@jest/globals';
import type { GuardedRun, StrayErrorGuard } from '../../lib/engine/failure.ts';
import { Session } from '../../lib/engine/session.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { forEach } from '../../nodes/control/control.plugin.ts';
import { aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { type ANode, noOtherWorkflows, runGraph, silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anExecutionInfo } from '../support/an-execution-info.ts';

/** Keeps the guarded runs by node, so that a test can raise a stray error of any of them. */
const aGuard = () => {
  const runs = new Map<string, GuardedRun>();
  const guard: StrayErrorGuard = {
    run: (run, work) => {
      runs.set(run.nodeId, run);
      return work();
    },
    flush: async () => {},
  };
  const raise = (nodeId: string): boolean =>
    runs.get(nodeId)?.fail('UncaughtException', new TypeError('no socket')) ?? false;
  return { guard, raise, runs };
};

const failure = { nodeId: 'first', name: 'UncaughtException', message: 'TypeError: no socket' };
const hangs: ANode['does'] = () => new Promise(() => {});

describe('a stray error of a node', () => {
  test('ends the execution at once, even while a node ignores its signal', async () => {
    const { guard, raise } = aGuard();
    let signal: AbortSignal | undefined;
    const result = await runGraph({
      nodes: {
        first: { pure: false },
        busy: {
          does: (_node, _input, context) => {
            signal = context.signal;
            queueMicrotask(() => raise('first'));
            return new Promise(() => {});
          },
        },
      },
      edges: ['start -> first', 'first -> busy'],
      ports: { guard },
    });
    expect(result).toMatchObject({ status: 'failed', failure, elapsedMs: 0 });
    expect(result.nodes).toMatchObject([
      { nodeId: 'start', status: 'succeeded' },
      { nodeId: 'first', status: 'failed', failure, attempts: 1 },
      {
        nodeId: 'busy',
        status: 'failed',
        failure: {
          nodeId: 'busy',
          name: 'ExecutionFailed',
          message: 'the execution failed at the node "first"',
        },
      },
    ]);
    expect(signal?.aborted).toBe(true);
  });

  test('keeps other nodes from starting, whatever onError says', async () => {
    const { guard, raise } = aGuard();
    const ran: string[] = [];
    const result = await runGraph({
      nodes: {
        first: {
          pure: false,
          does: async () => {
            queueMicrotask(() => raise('first'));
            await new Promise<void>((resolve) => setImmediate(resolve));
            return {};
          },
          settings: { onError: 'continue', retry: { maxAttempts: 5 } },
        },
        next: { does: () => ({ ran: ran.push('next') }) },
      },
      edges: ['start -> first', 'first -> next', 'first.error -> next'],
      ports: { guard },
    });
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(result).toMatchObject({ status: 'failed', failure });
    expect(ran).toEqual([]);
  });

  test('counts until the session is closed, or was aborted, also before anybody waits for the execution', () => {
    const { clock } = aVirtualClock();
    const controller = new AbortController();
    const aSession = () =>
      new Session(
        anExecutionInfo(),
        { timeoutMs: 1_000, maxNodeRuns: 10, maxOutputBytes: 100 },
        {
          services: {
            clock,
            ids: { next: () => 'id' },
            http: { request: () => Promise.reject(new Error()) },
          },
          logger: silent,
          steps: inlineSteps(clock),
          workflows: noOtherWorkflows,
          callbacks: null,
          signal: controller.signal,
        },
      );
    const stray = { nodeKey: 'first/0', failure };
    const open = aSession();
    expect([open.failAt(stray), open.fatal, open.strayFailure]).toEqual([true, failure, stray]);
    expect(open.signal.reason).toMatchObject({ name: 'ExecutionFailed' });
    const closed = aSession();
    closed.close();
    expect([closed.failAt(stray), closed.fatal]).toEqual([false, null]);
    controller.abort(new Error('moved'));
    const aborted = aSession();
    expect([aborted.failAt(stray), aborted.fatal]).toEqual([false, null]);
    expect(aborted.signal.reason).toBe(controller.signal.reason);
  });

  test('may come at once, before anybody waits', async () => {
    const { guard, raise } = aGuard();
    const raised: boolean[] = [];
    const result = await runGraph({
      nodes: { start: { kind: 'trigger', does: () => ({ n: raised.push(raise('start')) }) } },
      edges: [],
      ports: { guard },
    });
    expect(raised).toEqual([true]);
    expect(result).toMatchObject({ status: 'failed', failure: { ...failure, nodeId: 'start' } });
  });

  test('keeps other nodes from starting when a control node ends after it', async () => {
    const { guard, raise } = aGuard();
    const ran: string[] = [];
    const result = await runGraph({
      nodes: {
        first: {
          control: { suspends: false },
          does: async () => {
            raise('first');
            await new Promise(setImmediate);
            return {};
          },
        },
        next: { does: () => ({ ran: ran.push('next') }) },
      },
      edges: ['start -> first', 'first -> next'],
      ports: { guard },
    });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect([result.failure, ran]).toEqual([failure, []]);
  });

  test('counts until the result is returned, and not afterwards', async () => {
    const { guard, raise } = aGuard();
    const graph = { nodes: { first: {} }, edges: ['start -> first'] };
    const late = { ...guard, flush: async () => void raise('first') };
    expect(await runGraph({ ...graph, ports: { guard: late } })).toMatchObject({ status: 'failed', failure });
    expect(await runGraph({ ...graph, ports: { guard } })).toMatchObject({ status: 'succeeded' });
    expect(raise('first')).toBe(false);
  });

  test('is recorded at the inner run that raised it', async () => {
    const { guard, runs } = aGuard();
    let first: GuardedRun | undefined;
    const result = await runGraph({
      nodes: {
        each: {
          control: { suspends: false, bodyOutput: 'each' },
          does: forEach.execute,
          parameters: { items: ['a', 'b', 'c'] },
        },
        work: {
          does: (_node, input) => {
            if (input.index === 0) first = runs.get('work');
            if (input.index === 1) first?.fail('UnhandledRejection', 'no');
            return {};
          },
        },
      },
      edges: ['start -> each', 'each.each -> work'],
      ports: { guard },
    });
    expect(result.failure).toMatchObject({ nodeId: 'work', name: 'UnhandledRejection' });
    expect(result.nodes.map(({ within, nodeId, status }) => [within, nodeId, status])).toEqual([
      [undefined, 'start', 'succeeded'],
      [undefined, 'each', 'failed'],
      ['each/0/0', 'work', 'failed'],
      ['each/0/1', 'work', 'succeeded'],
    ]);
  });

  test('counts once if raised twice', async () => {
    const { guard, raise } = aGuard();
    const result = await runGraph({
      nodes: {
        first: {},
        second: {
          does: () => {
            queueMicrotask(() => {
              raise('first');
              raise('second');
            });
            return hangs({} as never, {}, {} as never);
          },
        },
      },
      edges: ['start -> first', 'first -> second'],
      ports: { guard },
    });
    expect(result.failure).toEqual(failure);
  });
});

describe('in a durable run', () => {
  const serving = async (
    call: NonNullable<Parameters<typeof aBackgroundService>[0]>['call'],
    guard: StrayErrorGuard,
  ) => {
    const service = await aBackgroundService(call === undefined ? {} : { call });
    Object.assign(service.parts, { guard });
    await service.put(
      aFlow({
        nodes: [
          { id: 'first', type: 'call' },
          { id: 'pause', type: 'wait', parameters: { seconds: 60 } },
          { id: 'second', type: 'call' },
        ],
        edges: ['start -> first', 'first -> pause', 'pause -> second'],
      }),
    );
    await service.accept();
    return service;
  };

  test('fails the execution, and its record', async () => {
    const { guard, raise } = aGuard();
    const service = await serving(({ id }) => {
      queueMicrotask(() => raise(id));
      return new Promise(() => {});
    }, guard);
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'failed', failure });
    expect(service.called).toEqual(['first/0']);
  });

  test('fails nothing if the run was suspended meanwhile: another process resumes it', async () => {
    const { guard, raise } = aGuard();
    const service = await serving(undefined, guard);
    const failed: boolean[] = [];
    await service.run('e-1', { between: async () => void failed.push(raise('first')) });
    expect(failed).toEqual([false, false]);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
  });
});
