import { describe, expect, test } from '@jest/globals';
import type { GuardedRun, StrayErrorGuard } from '../../lib/engine/stray-errors.ts';
import { forEach } from '../../lib/nodes/for-each.ts';
import { aBackgroundService, aFlow } from '../support/a-background-service.ts';
import { type ANode, runGraph } from '../support/a-run.ts';

/** Keeps whose code was at work, by node, so that a test lets an error of it loose when it likes. */
const aGuard = () => {
  const owners = new Map<string, GuardedRun>();
  const guard: StrayErrorGuard = {
    run: (owner, work) => {
      owners.set(owner.nodeId, owner);
      return work();
    },
    flush: async () => {},
  };
  const letLoose = (nodeId: string): boolean =>
    owners.get(nodeId)?.fail('UncaughtException', new TypeError('no socket')) ?? false;
  return { guard, letLoose, owners };
};

const failure = { nodeId: 'first', name: 'UncaughtException', message: 'TypeError: no socket' };
const hangs: ANode['does'] = () => new Promise(() => {});

describe('an error that a node lets loose', () => {
  test('ends the execution at once, whoever is at work and deaf', async () => {
    const { guard, letLoose } = aGuard();
    let signal: AbortSignal | undefined;
    const result = await runGraph({
      nodes: {
        first: { pure: false },
        deaf: {
          does: (_node, _input, context) => {
            signal = context.signal;
            queueMicrotask(() => letLoose('first'));
            return new Promise(() => {});
          },
        },
      },
      edges: ['start -> first', 'first -> deaf'],
      ports: { guard },
    });
    expect(result).toMatchObject({ status: 'failed', failure, elapsedMs: 0 });
    expect(result.nodes).toMatchObject([
      { nodeId: 'start', status: 'succeeded' },
      { nodeId: 'first', status: 'failed', failure, attempts: 1 },
      {
        nodeId: 'deaf',
        status: 'failed',
        failure: {
          nodeId: 'deaf',
          name: 'ExecutionFailed',
          message: 'the execution failed at the node "first"',
        },
      },
    ]);
    expect(signal?.aborted).toBe(true);
  });

  test('begins no other node, and is hidden by no onError', async () => {
    const { guard, letLoose } = aGuard();
    const ran: string[] = [];
    const result = await runGraph({
      nodes: {
        first: {
          pure: false,
          does: async () => {
            queueMicrotask(() => letLoose('first'));
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

  test('counts when it comes before the result is given, and not after that', async () => {
    const { guard, letLoose } = aGuard();
    const graph = { nodes: { first: {} }, edges: ['start -> first'] };
    const late = { ...guard, flush: async () => void letLoose('first') };
    expect(await runGraph({ ...graph, ports: { guard: late } })).toMatchObject({ status: 'failed', failure });
    expect(await runGraph({ ...graph, ports: { guard } })).toMatchObject({ status: 'succeeded' });
    expect(letLoose('first')).toBe(false);
  });

  test('is recorded at the run of the node in the body that it was in', async () => {
    const { guard, owners } = aGuard();
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
            if (input.index === 0) first = owners.get('work');
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

  test('that comes twice counts once', async () => {
    const { guard, letLoose } = aGuard();
    const result = await runGraph({
      nodes: {
        first: {},
        second: {
          does: () => {
            queueMicrotask(() => {
              letLoose('first');
              letLoose('second');
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

  test('it is the end of the execution, and its record says so', async () => {
    const { guard, letLoose } = aGuard();
    const service = await serving(({ id }) => {
      queueMicrotask(() => letLoose(id));
      return new Promise(() => {});
    }, guard);
    await service.run();
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'failed', failure });
    expect(service.called).toEqual(['first/0']);
  });

  test('that was suspended meanwhile it fails nothing: the run goes on in another process', async () => {
    const { guard, letLoose } = aGuard();
    const service = await serving(undefined, guard);
    const told: boolean[] = [];
    await service.run('e-1', { between: async () => void told.push(letLoose('first')) });
    expect(told).toEqual([false, false]);
    expect(await service.executions.find('e-1')).toMatchObject({ status: 'succeeded' });
  });
});
