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
  const steps = createJournalingSteps(recording, journal);
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
});
