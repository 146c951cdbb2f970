import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { createFunctionProcess } from '../../../lib/adapters/runtime/function-process.ts';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';
import type { GuardedRun } from '../../../lib/engine/failure.ts';
import { loadRegistry } from '../../../lib/plugins/load-registry.ts';
import { aProvider, installedUnified } from '../../support/a-plugin.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { silent } from '../../support/a-run.ts';

/** A process that no test can end. */
const aProcess = () => {
  const events = new EventEmitter();
  const exits: number[] = [];
  const { logger, entries } = aRecordingLogger();
  const functionProcess = createFunctionProcess({
    logger,
    events: events as unknown as NodeJS.Process,
    exit: (code) => exits.push(code),
  });
  return { ...functionProcess, events, exits, entries };
};

const owner = (fail: GuardedRun['fail'] = () => true): GuardedRun => ({
  execution: {
    executionId: 'e-1',
    workflowId: 'shop',
    workflowVersion: 3,
    trigger: { nodeId: 'start', type: 'manualTrigger' },
    startedAt: '2026-01-02T03:04:05.678Z',
    stage: 'test',
  },
  nodeId: 'call',
  scrub: (value) => value,
  fail,
});

describe('a stray error', () => {
  test('is attributed to the node whose code is running', () => {
    const { guard, events, entries } = aProcess();
    const told: unknown[] = [];
    guard.run(
      owner((kind, thrown) => {
        told.push(kind, thrown);
        return true;
      }),
      () => events.emit('unhandledRejection', 'no'),
    );
    expect(told).toEqual(['UnhandledRejection', 'no']);
    expect(entries).toMatchObject([
      { level: 'error', fields: { executionId: 'e-1', nodeId: 'call', cause: 'no' } },
    ]);
  });

  test('outside any execution is logged', () => {
    const { events, entries } = aProcess();
    events.emit('uncaughtException', new Error('in a pool'));
    expect(entries).toMatchObject([
      {
        level: 'error',
        message: 'Unhandled error outside of any execution.',
        fields: { kind: 'UncaughtException' },
      },
    ]);
  });

  test('from what a plugin created in its init belongs to no node, whichever used the plugin first', async () => {
    const { guard, outside, events, entries } = aProcess();
    const told: unknown[] = [];
    const init = async () => {
      await setImmediate();
      events.emit('uncaughtException', new Error('in a pool'));
    };
    const registry = await loadRegistry([installedUnified(aProvider({ init }))], {
      logger: silent,
      clock: systemClock,
      outside,
    });
    const first = owner((...error) => told.push(error) > 0);
    await guard.run(first, () => registry.findNodeType('greet')?.getExecutor());
    expect(told).toEqual([]);
    expect(entries).toMatchObject([{ message: 'Unhandled error outside of any execution.' }]);
  });

  test('reaches no listener that existed before or was added between two events', async () => {
    const { serve, events } = aProcess();
    const heard: string[] = [];
    events.on('uncaughtException', () => heard.push('of the runtime'));
    await serve(async () => ({}))({}, {} as Context);
    events.emit('uncaughtException', new Error('x'));
    expect(heard).toEqual([]);
    expect(events.listenerCount('uncaughtException')).toBe(1);
  });
});

describe('the process ends', () => {
  const answer = async (functionProcess: ReturnType<typeof aProcess>, result: unknown) => {
    const given = await functionProcess.serve(async () => result)({}, {} as Context);
    const before = [...functionProcess.exits];
    const text = JSON.stringify(given);
    const during = [...functionProcess.exits];
    await null;
    return { given, text, before, during, after: [...functionProcess.exits] };
  };

  test.each<[string, unknown, string]>([
    ['an object', { statusCode: 200, body: '{"toJSON":1}' }, '{"statusCode":200,"body":"{\\"toJSON\\":1}"}'],
    ['nothing', undefined, 'null'],
    ['null', null, 'null'],
    ['a text', 'text', '"text"'],
  ])('after a result that is %s was written, if there was a stray error', async (_case, result, expected) => {
    const spent = aProcess();
    spent.events.emit('unhandledRejection', new Error('x'));
    const { text, before, during, after } = await answer(spent, result);
    expect({ text, before, during, after }).toEqual({ text: expected, before: [], during: [], after: [1] });
  });

  test('also when the stray error comes between the result and its writing', async () => {
    const { serve, events, exits } = aProcess();
    const result = await serve(async () => ({ ok: true }))({}, {} as Context);
    await setImmediate();
    events.emit('uncaughtException', new Error('x'));
    expect(exits).toEqual([]);
    expect(JSON.stringify(result)).toBe('{"ok":true}');
    await null;
    expect(exits).toEqual([1]);
  });

  test('not without a stray error, and the result is unchanged', async () => {
    const { given, after } = await answer(aProcess(), { statusCode: 204 });
    expect(given).toEqual({ statusCode: 204 });
    expect(Object.keys(given as object)).toEqual(['statusCode']);
    expect(after).toEqual([]);
  });

  test('not for a handler that fails, which the runtime reports', async () => {
    const { serve, events, exits } = aProcess();
    const failing = serve(async () => {
      events.emit('uncaughtException', new Error('x'));
      throw new Error('no store');
    });
    await expect(failing({}, {} as Context)).rejects.toThrow('no store');
    expect(exits).toEqual([]);
  });
});

describe('on termination', () => {
  test('everything is cleaned up, even if a part fails, and the process ends', async () => {
    const { onEnd, events, exits } = aProcess();
    const done: string[] = [];
    onEnd(() => Promise.reject(new Error('stuck')));
    onEnd(async () => {
      await setImmediate();
      done.push('tidied up');
    });
    events.emit('SIGTERM');
    expect(exits).toEqual([]);
    await setImmediate();
    await setImmediate();
    expect({ done, exits }).toEqual({ done: ['tidied up'], exits: [0] });
  });
});
