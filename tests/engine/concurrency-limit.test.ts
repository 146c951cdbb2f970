import { expect, test } from '@jest/globals';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { forEach } from '../../lib/nodes/for-each.ts';
import { runGraph } from '../support/a-run.ts';

/** Lets as many microtasks pass, and no time. */
const tick = async (count: number): Promise<void> => {
  for (let passed = 0; passed < count; passed++) await null;
};

/** Runs `forEach` over that many items. Gives the largest number of bodies that were at work together. */
const countAtWork = async (items: number, maxConcurrency: number, steps = inlineSteps): Promise<number> => {
  let atWork = 0;
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
          atWork++;
          most = Math.max(most, atWork);
          await tick(20);
          atWork--;
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
])(
  'with maxConcurrency %d, exactly that many of 10 bodies are at work at once',
  async (maxConcurrency, most) => {
    expect(await countAtWork(10, maxConcurrency)).toBe(most);
  },
);

/** As durable steps do, which open one context after the other: the last body asks late, whatever the others do then. */
const lastAsksLate =
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

test('a body that asks to begin just when another one ends does not begin beside the one that waited', async () => {
  for (let late = 0; late < 120; late++) {
    expect([late, await countAtWork(3, 1, lastAsksLate(late))]).toEqual([late, 1]);
  }
});
