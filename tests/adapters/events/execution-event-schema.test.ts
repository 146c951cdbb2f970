import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLogEvents } from '../../../lib/adapters/events/log-events.ts';
import { toCloudEvent } from '../../../lib/adapters/events/to-cloud-event.ts';
import type { EndedExecution } from '../../../lib/executions/record/execution-events.ts';
import { checkSchema } from '../../../lib/workflows/validation/schema/check-schema.ts';
import { aRecordingLogger } from '../../support/a-recording-logger.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/events/execution-event.schema.json', import.meta.url), 'utf8'),
);

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const time = fc.integer({ min: 0, max: 4e12 });
const ends: fc.Arbitrary<EndedExecution> = fc
  .record({
    executionId: id,
    workflowId: id,
    workflowVersion: fc.integer({ min: 1 }),
    trigger: fc.record({ nodeId: id, type: fc.string() }),
    mode: fc.constantFrom('inline' as const, 'durable' as const, 'express' as const),
    startedAt: time,
    status: fc.constantFrom(
      'succeeded' as const,
      'failed' as const,
      'cancelled' as const,
      'timedOut' as const,
    ),
    failure: fc.option(fc.record({ nodeId: id, name: fc.string(), message: fc.string() })),
    retryOf: fc.option(fc.record({ executionId: id, fromNodeId: fc.option(id) })),
    traceparent: fc.option(fc.stringMatching(/^00-[1-9a-f]{32}-[1-9a-f]{16}-0[01]$/)),
    durationMs: fc.nat(),
  })
  .map(({ durationMs, ...end }) => ({ ...end, endedAt: end.startedAt + durationMs }));

describe('the published schema', () => {
  test('holds for every event that is published', () => {
    fc.assert(
      fc.property(ends, (ended) => {
        expect(checkSchema(schema, JSON.parse(JSON.stringify(toCloudEvent(ended))), '')).toEqual([]);
      }),
    );
  });

  test('holds for the example in the documentation, and not for what lacks something', () => {
    const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
    const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
    expect(checkSchema(schema, example, '')).toEqual([]);
    expect(checkSchema(schema, { ...example, type: 'workflow.execution.gone' }, '')).not.toEqual([]);
    const { failure: _failure, ...data } = example.data;
    expect(checkSchema(schema, { ...example, data }, '')).toMatchObject([
      { message: expect.stringContaining('failure') },
    ]);
  });
});

test('without a bus an event is one line of the log', async () => {
  const { logger, entries } = aRecordingLogger();
  const [ended] = fc.sample(ends, 1);
  if (ended !== undefined) await createLogEvents(logger).publish(ended);
  expect(entries).toMatchObject([
    { level: 'info', message: 'event', fields: { event: { specversion: '1.0' } } },
  ]);
});
