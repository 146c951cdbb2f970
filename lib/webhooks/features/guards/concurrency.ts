import { type JsonValue, Type } from '@hookloom/plugin-kit';
import type { ConcurrencyRule } from '../../../workflows/definition/path-config.ts';
import type { Problem } from '../../../workflows/definition/problem.ts';
import { defineFeature, type FeatureContext } from '../../webhook-feature.ts';

/** Limits how many executions of the workflow run at once. */
export const concurrency = defineFeature({
  name: 'concurrency',
  schema: Type.Object(
    {
      max: Type.Integer({ minimum: 1, maximum: 100, description: 'Executions at once' }),
      onLimit: Type.Optional(
        Type.Enum(['refuse', 'cancelOldest', 'queue'], {
          description:
            'refuse (the default) answers 429; cancelOldest cancels the oldest execution; queue stores the request, and runs it when others have ended',
        }),
      ),
      maxQueued: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description: 'With queue: how many requests may wait, 1000 if absent; further ones get 429',
        }),
      ),
    },
    {
      description:
        'A bound on the executions of the workflow that go on at once, started by webhooks with this parameter',
      examples: [
        { max: 5 },
        { max: 1, onLimit: 'cancelOldest' },
        { max: 2, onLimit: 'queue', maxQueued: 500 },
      ],
    },
  ),
  check: (rule, context) => findProblems(rule, context),
  stages: async (rule, ports) => (await import('./concurrency-stages.ts')).limitRuns(rule, ports),
});

const findProblems = (
  value: JsonValue,
  { parameters: { responseMode = 'onReceived' } }: FeatureContext,
): Problem[] => {
  const { onLimit = 'refuse', maxQueued } = value as unknown as ConcurrencyRule;
  const problems: Problem[] = [];
  if (onLimit !== 'refuse' && responseMode !== 'onReceived')
    problems.push({
      path: '/onLimit',
      message: `must be refuse where the caller waits for the run: it cannot be ${onLimit === 'queue' ? 'put off' : 'cancelled'}`,
    });
  if (maxQueued !== undefined && onLimit !== 'queue')
    problems.push({ path: '/maxQueued', message: 'has no effect unless onLimit is queue' });
  return problems;
};
