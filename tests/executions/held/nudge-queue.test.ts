import { expect, test } from '@jest/globals';
import { createNudgeAfterEnd } from '../../../lib/executions/held-queues.ts';
import { DISPATCH_REFUSED } from '../../../lib/shared/error-catalogue.ts';
import { AppError } from '../../../lib/shared/errors.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';
import { anExecutionStart } from '../../support/a-start.ts';
import { inMemoryExecutionStore } from '../../support/in-memory-stores.ts';

/** An execution of a webhook that has ended. */
const afterEnd = async (concurrency: object | null, releasedAt: number | null, isRefused = false) => {
  const executions = inMemoryExecutionStore();
  await executions.start(anExecutionStart());
  const [record] = executions.records();
  if (record === undefined) throw new Error('it is not stored');
  const nudged: string[] = [];
  const { logger, entries } = aRecordingLogger();
  const nudge = createNudgeAfterEnd(async ({ workflowId, triggerNodeId }, ended) => {
    if (isRefused) throw new AppError(DISPATCH_REFUSED, {});
    nudged.push(`${workflowId}/${triggerNodeId} ${ended}`);
  }, logger);
  const parameters = concurrency === null ? {} : { concurrency: concurrency as never };
  const nodes = [
    { id: 'other', type: 'webhookTrigger', parameters: { concurrency: { max: 1, onLimit: 'queue' } } },
    ...(concurrency === null ? [] : [{ id: 'start', type: 'webhookTrigger', parameters }]),
  ];
  await nudge({ ...record, releasedAt }, { nodes });
  return { nudged, warnings: entries.filter(({ level }) => level === 'warn').map(({ fields }) => fields) };
};

test.each([
  [null, null, []],
  [null, 1, []],
  [{ max: 1 }, null, []],
  [{ max: 1 }, 1, ['orders/start e-1']],
  [{ max: 1, onLimit: 'queue' }, null, ['orders/start e-1']],
])(
  'with the concurrency %j and released at %j it is nudged: %j',
  async (concurrency, releasedAt, expected) => {
    expect(await afterEnd(concurrency, releasedAt)).toEqual({ nudged: expected, warnings: [] });
  },
);

test('a refused nudge is a warning: the next sweep continues', async () => {
  expect(await afterEnd({ max: 1, onLimit: 'queue' }, null, true)).toEqual({
    nudged: [],
    warnings: [{ executionId: 'e-1', workflowId: 'orders', cause: expect.any(AppError) }],
  });
});
