import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  countPublished,
  createLogEvents,
  toCloudEvent,
} from '../../../lib/adapters/events/completion-events.ts';
import type { EndedExecution } from '../../../lib/executions/record/execution-store.ts';
import { checkSchema } from '../../../packages/authoring/validation/schema/check-schema.ts';
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
  test('accepts every event that is published', () => {
    fc.assert(
      fc.property(ends, (ended) => {
        expect(checkSchema(schema, JSON.parse(JSON.stringify(toCloudEvent(ended))), '')).toEqual([]);
      }),
    );
  });

  test('accepts the example in the documentation, and rejects one with a missing key', () => {
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

test('without a bus an event is one line in the log', async () => {
  const { logger, entries } = aRecordingLogger();
  const [ended] = fc.sample(ends, 1);
  if (ended !== undefined) await createLogEvents(logger, { countsInline: true }).publish(ended);
  expect(entries).toMatchObject([
    { level: 'info', message: 'event', fields: { event: { specversion: '1.0' } } },
  ]);
});

describe('on a bus', () => {
  const service = (countsInline: boolean) => {
    const { logger, entries } = aRecordingLogger();
    const published: EndedExecution[] = [];
    const publish = async (end: EndedExecution) => void published.push(end);
    return { events: countPublished({ publish }, logger, { countsInline }), entries, published };
  };
  const anEnd = (mode: EndedExecution['mode']): EndedExecution => ({
    ...(fc.sample(ends, 1)[0] as EndedExecution),
    mode,
    status: 'timedOut',
    startedAt: 1_000,
    endedAt: 3_000,
    hasMetrics: true,
  });

  test('a completion is published, then counted on its own line', async () => {
    const { events, entries, published } = service(true);
    await events.publish(anEnd('inline'));
    expect(published).toHaveLength(1);
    expect(entries).toMatchObject([{ fields: { ExecutionsTimedOut: 1, ExecutionDuration: 2_000 } }]);
  });

  test('a completion of an inline run has no line if the request’s line counts it', async () => {
    const { events, entries, published } = service(false);
    await events.publish(anEnd('inline'));
    await events.publish(anEnd('durable'));
    expect([published.length, entries.length]).toEqual([2, 1]);
  });

  test('an unpublished completion is not counted, since it will be published again', async () => {
    const { logger, entries } = aRecordingLogger();
    const publish = () => Promise.reject(new Error('no bus'));
    const events = countPublished({ publish }, logger, { countsInline: true });
    await expect(events.publish(anEnd('durable'))).rejects.toThrow('no bus');
    expect(entries).toEqual([]);
  });
});
