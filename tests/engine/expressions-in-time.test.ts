import { expect, test } from '@jest/globals';
import { execute } from '../../lib/engine/execute.ts';
import { inlineSteps } from '../../lib/engine/steps.ts';
import { compilePlan } from '../../lib/workflows/plan/compile-plan.ts';
import { aGraph, noOtherWorkflows, silent } from '../support/a-run.ts';
import { aVirtualClock } from '../support/a-virtual-clock.ts';
import { anExecutionInfo } from '../support/an-execution-info.ts';

test('a series of expressions ends with the execution’s time, though none of them lets a timer fire', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  let evaluated = 0;
  const { clock } = aVirtualClock();
  const { definition, findNodeType } = aGraph({
    nodes: Object.fromEntries(
      ids.map((id) => [
        id,
        {
          parameters: { text: '{{ $string(1) }}' },
          does: () => {
            evaluated++;
            return {};
          },
        },
      ]),
    ),
    edges: ids.map((id) => `start -> ${id}`),
  });
  // A millisecond of the processor for each look at the clock, while nothing else can happen.
  let looks = 0;
  const busy = { ...clock, now: () => clock.now() + looks++ };
  const result = await execute(
    compilePlan(definition, findNodeType),
    {
      execution: anExecutionInfo(clock.now()),
      input: {},
      limits: { timeoutMs: 100, maxNodeRuns: 10_000, maxOutputBytes: 1_000 },
    },
    {
      services: {
        clock: busy,
        ids: { next: () => 'id' },
        http: { request: () => Promise.reject(new Error('no network in tests')) },
      },
      logger: silent,
      steps: inlineSteps(busy),
      workflows: noOtherWorkflows,
      callbacks: null,
    },
  );
  expect(result.status).toBe('timedOut');
  expect(evaluated).toBeLessThan(101);
});
