import { Type } from '@hookloom/plugin-kit';
import { problemsWhere } from '../../../workflows/definition/problem.ts';
import { defineFeature } from '../../webhook-feature.ts';

/** Limits how many executions of the workflow run at once. */
export const concurrency = defineFeature({
  name: 'concurrency',
  schema: Type.Object(
    {
      max: Type.Integer({ minimum: 1, maximum: 100, description: 'Executions at once' }),
      onLimit: Type.Optional(
        Type.Enum(['refuse', 'cancelOldest', 'queue'], {
          description:
            'refuse (the default) answers 429; cancelOldest cancels the oldest execution; queue stores the request and runs it when others have ended',
        }),
      ),
      maxQueued: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description: 'With queue: how many requests may wait (default 1000); further ones get 429',
        }),
      ),
    },
    {
      description: 'Limits the concurrent executions of the workflow that webhooks with this parameter start',
      examples: [
        { max: 5 },
        { max: 1, onLimit: 'cancelOldest' },
        { max: 2, onLimit: 'queue', maxQueued: 500 },
      ],
    },
  ),
  check: ({ onLimit = 'refuse', maxQueued }, { parameters: { responseMode = 'onReceived' } }) =>
    problemsWhere(
      [
        onLimit !== 'refuse' && responseMode !== 'onReceived',
        '/onLimit',
        `must be refuse when the caller waits for the run, which cannot be ${onLimit === 'queue' ? 'postponed' : 'cancelled'}`,
      ],
      [maxQueued !== undefined && onLimit !== 'queue', '/maxQueued', 'has no effect unless onLimit is queue'],
    ),
  stages: async (rule, ports) => (await import('./concurrency-stages.ts')).limitRuns(rule, ports),
});
