import { describe, expect, test } from '@jest/globals';
import {
  type CheckpointJournal,
  createJournalingSteps,
  parseJournal,
  serializeJournal,
} from '../../lib/engine/checkpoint-journal.ts';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const run = async (journal: CheckpointJournal) => {
  const { clock, run: pass } = aVirtualClock();
  const called: string[] = [];
  const startedAt = clock.now();
  const recording: Steps = {
    ...inlineSteps(clock),
    callback: async (name) => {
      called.push(name);
      return { id: 'c-1', answer: async () => ({ value: 'yes' }) };
    },
  };
  const steps = createJournalingSteps(recording, journal, String);
  const call = (name: string, within: Steps = steps) =>
    within.run({
      name,
      retry: undefined,
      attempt: async () => {
        called.push(name);
        return { outputs: { main: { name } } };
      },
    });
  const result = await pass(
    (async () => {
      const first = await call('first/0');
      await steps.wait('pause/0/0', 60);
      const callback = await steps.callback('ask/0/0', 600);
      const answer = await callback.answer();
      const inner = await steps.within('each/0/0', (inside) => call('each/0/0/call/0', inside));
      return [first, answer, inner];
    })(),
  );
  return { result, called, waitedMs: clock.now() - startedAt };
};

describe('a checkpoint journal', () => {
  // holds: finished-steps-stay
  // holds: S11
  test('holds every step, wait and answer, so that a replay repeats none', async () => {
    const journal: CheckpointJournal = new Map();
    const before = await run(journal);
    expect(before).toMatchObject({ called: ['first/0', 'ask/0/0', 'each/0/0/call/0'], waitedMs: 60_000 });
    const again = await run(parseJournal(serializeJournal(journal), new Set()));
    expect(again).toEqual({ result: before.result, called: [], waitedMs: 0 });
  });

  test.each([
    ['first', ['first/0']],
    ['ask', ['ask/0/0']],
    ['each', ['each/0/0/call/0']],
  ])('leaves out %s, and its inner runs, when that node runs again', async (node, called) => {
    const journal: CheckpointJournal = new Map();
    await run(journal);
    expect((await run(parseJournal(serializeJournal(journal), new Set([node])))).called).toEqual(called);
  });

  test('tells steps that limit their operations how many of a node it holds', async () => {
    const journal: CheckpointJournal = new Map(
      ['each/0/0/call/0', 'each/0/1', 'each/01', 'each/1/0', 'x/each/0/0'].map((name) => [
        name,
        { waited: true },
      ]),
    );
    const { clock } = aVirtualClock();
    const asked: unknown[] = [];
    const limiting: Steps = {
      ...inlineSteps(clock),
      checkBodies: async ({ key }, known) => void asked.push([key, known]),
    };
    const bodies = { key: 'each/0' } as Parameters<NonNullable<Steps['checkBodies']>>[0];
    await createJournalingSteps(limiting, journal, String).checkBodies?.(bodies, 10);
    expect(asked).toEqual([['each/0', 12]]);
    await expect(
      createJournalingSteps(inlineSteps(clock), journal, String).checkBodies?.(bodies, 0),
    ).resolves.toBeUndefined();
  });

  test('ends a wait that is aborted, and holds no checkpoint of it', async () => {
    const journal: CheckpointJournal = new Map();
    const { clock, run: pass, pending } = aVirtualClock();
    const controller = new AbortController();
    const waiting = createJournalingSteps(inlineSteps(clock), journal, String).wait(
      'pause/0',
      60,
      controller.signal,
    );
    controller.abort(new Error('the execution failed'));
    await expect(pass(waiting)).rejects.toThrow('the execution failed');
    expect([pending(), journal.size]).toEqual([0, 0]);
  });

  test('with a checkpoint of another kind under the same name makes its own', async () => {
    const journal: CheckpointJournal = new Map([
      ['first/0', { waited: true }],
      ['ask/0/0', { waited: true }],
    ]);
    expect((await run(journal)).called).toEqual(['first/0', 'ask/0/0', 'each/0/0/call/0']);
  });

  test('opens a callback that it holds without an id of its own', async () => {
    const journal: CheckpointJournal = new Map([['ask/0/0', { answer: { value: 1 } }]]);
    const { clock } = aVirtualClock();
    const { id, answer } = await createJournalingSteps(inlineSteps(clock), journal, String).callback(
      'ask/0/0',
      60,
    );
    expect([id, await answer()]).toEqual(['', { value: 1 }]);
  });
});
