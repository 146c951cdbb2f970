import { expect, test } from '@jest/globals';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { forEach } from '../../nodes/control/control.plugin.ts';
import { runGraph } from '../support/a-run.ts';

/** Runs microtasks, without time passing. */
const tick = async (count: number): Promise<void> => {
  for (let passed = 0; passed < count; passed++) await null;
};

/** @returns the largest number of bodies of a `forEach` that ran at once */
const maxRunning = async (items: number, maxConcurrency: number, steps = inlineSteps): Promise<number> => {
  let running = 0;
  let most = 0;
  let done = 0;
  const { status } = await runGraph({
    nodes: {
      each: {
        control: { suspends: false, bodyOutput: 'each' },
        does: forEach.execute,
        parameters: { items: Array.from({ length: items }, (_, index) => index), maxConcurrency },
      },
      work: {
        pure: false,
        does: async () => {
          running++;
          most = Math.max(most, running);
          await tick(20);
          running--;
          done++;
          return {};
        },
      },
    },
    edges: ['start -> each', 'each.each -> work'],
    steps,
  });
  expect({ status, done }).toEqual({ status: 'succeeded', done: items });
  return most;
};

test.each([
  [1, 1],
  [3, 3],
  [10, 10],
  [100, 10],
])('with maxConcurrency %d, exactly that many of 10 bodies run at once', async (maxConcurrency, most) => {
  expect(await maxRunning(10, maxConcurrency)).toBe(most);
});

/** Opens the last branch late, as durable steps do, which open one context after the other. */
const lastOpensLate =
  (late: number): typeof inlineSteps =>
  (clock) => {
    const steps = inlineSteps(clock);
    const delaying: Steps = {
      ...steps,
      within: async (name, body) => {
        if (name === 'each/0/2') await tick(late);
        return body(delaying);
      },
    };
    return delaying;
  };

test('a body that becomes ready when another one ends does not overtake the waiting one', async () => {
  for (let late = 0; late < 120; late++) {
    expect([late, await maxRunning(3, 1, lastOpensLate(late))]).toEqual([late, 1]);
  }
});
