import { expect, test } from '@jest/globals';
import { inlineSteps, type Steps } from '../../lib/engine/steps.ts';
import { type ANode, type ARun, runGraph } from '../support/a-run.ts';

/** Steps that list the branches that open and close, and the operations with their branch. */
const listing = (events: string[]): NonNullable<ARun['steps']> => {
  const record = (inner: Steps, branch: string): Steps => ({
    ...inner,
    run: (step) => {
      events.push(`${branch}: ${step.name}`);
      return inner.run(step);
    },
    wait: (name, seconds, signal) => {
      events.push(`${branch}: ${name}`);
      return inner.wait(name, seconds, signal);
    },
    within: async (name, body) => {
      events.push(`${branch}: open ${name}`);
      const value = await inner.within(name, (own) => body(record(own, name)));
      events.push(`close ${name}`);
      return value;
    },
  });
  return (clock) => record(inlineSteps(clock), 'run');
};

const step: ANode = { pure: false };

// holds: S8
test('each node with durable operations has a branch, opened in plan order before any node runs', async () => {
  const events: string[] = [];
  await runGraph({
    nodes: {
      pure: {},
      off: { pure: false, disabled: true },
      second: step,
      pause: {
        control: { suspends: true },
        does: async (_node, input, { control }) => {
          await control?.wait(1);
          return input;
        },
      },
      first: step,
      alone: step,
    },
    edges: ['start -> pure', 'pure -> off', 'off -> first', 'first -> second', 'second -> pause'],
    steps: listing(events),
  });
  await new Promise(setImmediate);
  expect(events).toEqual([
    'run: open second',
    'run: open pause',
    'run: open first',
    'first: first/0',
    'second: second/0',
    'pause: open pause/0',
    'pause/0: pause/0/0',
    'close pause/0',
    'close second',
    'close pause',
    'close first',
  ]);
});

test('a trigger may have a branch', async () => {
  const events: string[] = [];
  await runGraph({
    nodes: { start: { kind: 'trigger', pure: false } },
    edges: [],
    steps: listing(events),
  });
  expect(events).toEqual(['run: open start', 'start: start/0', 'close start']);
});

test('a branch of an inner run is named after it', async () => {
  const events: string[] = [];
  await runGraph({
    nodes: {
      each: {
        control: { suspends: false, bodyOutput: 'each' },
        does: async (_node, _input, { control }) => {
          await control?.runBodies([{}]);
          return {};
        },
      },
      call: step,
    },
    edges: ['start -> each', 'each.each -> call'],
    steps: listing(events),
  });
  expect(events.filter((event) => event.includes('call'))).toEqual([
    'each/0/0: open each/0/0/call',
    'each/0/0/call: each/0/0/call/0',
    'close each/0/0/call',
  ]);
});

// holds: S10
test('the bodies of a node are opened in the order of its items, before any of them starts', async () => {
  const events: string[] = [];
  await runGraph({
    nodes: {
      each: {
        control: { suspends: false, bodyOutput: 'each' },
        does: async (_node, _input, { control }) => {
          await control?.runBodies([{}, {}], 1);
          return {};
        },
      },
      call: step,
    },
    edges: ['start -> each', 'each.each -> call'],
    steps: listing(events),
  });
  expect(events.filter((event) => /^each(\/0)?: open |call\/0$/.test(event))).toEqual([
    'each: open each/0',
    'each/0: open each/0/0',
    'each/0: open each/0/1',
    'each/0/0/call: each/0/0/call/0',
    'each/0/1/call: each/0/1/call/0',
  ]);
});

// holds: at-most-once
test.each([true, false, undefined])(
  'a step is made at most once as its node says: %j',
  async (atMostOnce) => {
    const made: unknown[] = [];
    await runGraph({
      nodes: { call: { pure: false, settings: atMostOnce === undefined ? {} : { atMostOnce } } },
      edges: ['start -> call'],
      steps: (clock) => {
        const steps: Steps = {
          ...inlineSteps(clock),
          run: async ({ atMostOnce }) => {
            made.push(atMostOnce);
            return { outputs: { main: {} }, attempts: 1 };
          },
          within: (_name, body) => body(steps),
        };
        return steps;
      },
    });
    expect(made).toEqual([atMostOnce === true]);
  },
);
