import { describe, expect, test } from '@jest/globals';
import {
  type CheckpointJournal,
  createJournalingSteps,
  parseJournal,
  serializeJournal,
} from '../../lib/engine/checkpoint-journal.ts';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';

const run = async (checkpoints: CheckpointJournal) => {
  const { clock, run: pass } = aVirtualClock();
  const begun: string[] = [];
  const startedAt = clock.now();
  const asking: Steps = {
    ...inlineSteps(clock),
    callback: async (name) => {
      begun.push(name);
      return { id: 'c-1', answer: async () => ({ value: 'yes' }) };
    },
  };
  const steps = createJournalingSteps(asking, checkpoints);
  const call = (name: string, within: Steps = steps) =>
    within.run({
      name,
      retry: undefined,
      attempt: async () => {
        begun.push(name);
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
  return { result, begun, waitedMs: clock.now() - startedAt };
};

describe('what a run remembers', () => {
  test('is all that it asked for, and is not asked for again', async () => {
    const checkpoints: CheckpointJournal = new Map();
    const before = await run(checkpoints);
    expect(before).toMatchObject({ begun: ['first/0', 'ask/0/0', 'each/0/0/call/0'], waitedMs: 60_000 });
    const again = await run(parseJournal(serializeJournal(checkpoints), new Set()));
    expect(again).toEqual({ result: before.result, begun: [], waitedMs: 0 });
  });

  test.each([
    ['first', ['first/0']],
    ['ask', ['ask/0/0']],
    ['each', ['each/0/0/call/0']],
  ])('leaves out %s, and what ran inside of it, when that is to run again', async (node, begun) => {
    const checkpoints: CheckpointJournal = new Map();
    await run(checkpoints);
    expect((await run(parseJournal(serializeJournal(checkpoints), new Set([node])))).begun).toEqual(begun);
  });
});
