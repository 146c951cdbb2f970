import { Type } from '../../contract/kit/type.ts';
import type { ConcurrencyRule } from './concurrency-rule.ts';
import { defineRule } from './webhook-rule.ts';

/** How many executions of the workflow go on at once. */
export const concurrency = defineRule(
  Type.Object(
    {
      max: Type.Integer({ minimum: 1, maximum: 100, description: 'Executions at once' }),
      onLimit: Type.Optional(
        Type.Enum(['refuse', 'cancelOldest'], {
          description: 'refuse (the default) answers 429; cancelOldest cancels the oldest execution',
        }),
      ),
    },
    {
      description:
        'A bound on the executions of the workflow that go on at once, started by webhooks with this parameter',
      examples: [{ max: 5 }, { max: 1, onLimit: 'cancelOldest' }],
    },
  ),
  {
    findProblems: (value, { parameters: { responseMode = 'onReceived' } }) =>
      (value as unknown as ConcurrencyRule).onLimit === 'cancelOldest' && responseMode !== 'onReceived'
        ? [
            {
              path: '/onLimit',
              message: 'must be refuse where the caller waits for the run: it can not be cancelled',
            },
          ]
        : [],
  },
);
