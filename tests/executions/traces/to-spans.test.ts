import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nodeKeyOf } from '../../../lib/engine/node-run.ts';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import { type Span, toTracesBody } from '../../../lib/executions/traces/otlp.ts';
import { type TracedExecution, toSpans } from '../../../lib/executions/traces/to-spans.ts';
import {
  createTraceparents,
  executionSpanId,
  traceOf,
} from '../../../lib/executions/traces/trace-context.ts';
import { decode, valuesOf } from '../../support/a-collector.ts';

const START = 1_700_000_000_000;

const anEnd = (changes: Partial<TracedExecution> = {}): TracedExecution => ({
  executionId: 'e-1',
  workflowId: 'orders',
  workflowVersion: 3,
  trigger: { nodeId: 'request', type: 'webhookTrigger' },
  mode: 'durable',
  status: 'succeeded',
  startedAt: START,
  endedAt: START + 10_000,
  releasedAt: null,
  retryOf: null,
  traceparent: null,
  invocations: 1,
  nodes: [],
  nodesOmitted: 0,
  failure: null,
  ...changes,
});

const aNode = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'charge',
  type: 'httpRequest',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: START + 100,
  durationMs: 50,
  ...changes,
});

const spansOf = (execution: TracedExecution) => toSpans(execution, traceOf(execution, 1));
const nodeSpanOf = (node: NodeRecord, changes: Partial<TracedExecution> = {}): Span => {
  const [, span] = spansOf(anEnd({ nodes: [node], ...changes }));
  if (span === undefined) throw new Error('the node has no span');
  return span;
};
/** Since the start. */
const toMs = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n) - START;
const timesOf = (span: Span) => [span.startTimeUnixNano, span.endTimeUnixNano].map(toMs);
const eventsOf = ({ events }: Span) =>
  events.map(({ name, timeUnixNano, attributes }) => [
    toMs(timeUnixNano),
    name,
    ...Object.values(valuesOf(attributes)),
  ]);

/** Records of an execution, with inner runs in up to three levels, whose clocks do not agree. */
const anyNodes: fc.Arbitrary<NodeRecord[]> = fc
  .array(
    fc.record({
      nodeId: fc.constantFrom('a', 'b', 'each'),
      depth: fc.nat(3),
      status: fc.constantFrom('succeeded', 'failed', 'skipped', 'passedThrough'),
      startedAt: fc.integer({ min: START - 1_000, max: START + 12_000 }),
      durationMs: fc.integer({ min: 0, max: 20_000 }),
      isMissing: fc.boolean(),
      times: fc.array(fc.integer({ min: START - 1_000, max: START + 30_000 }), { maxLength: 4 }),
    }),
    { maxLength: 30 },
  )
  .map((rows) => {
    let chain: string[] = [];
    return rows.flatMap(({ nodeId, depth, isMissing, times, ...times0 }, iteration): NodeRecord[] => {
      chain = chain.slice(0, depth);
      const within = chain.join('/');
      chain.push(`${nodeId}/${iteration}/0`);
      if (isMissing) return []; // a very long list omits some
      const attemptTimes = times.map((startedAt, at) => ({ number: at + 1, startedAt, endedAt: null }));
      return [aNode({ ...times0, nodeId, iteration, attemptTimes, ...(within === '' ? {} : { within }) })];
    });
  });

describe('the spans of any execution', () => {
  test('have unique ids, parents that precede and include them, and are the same each time', () => {
    fc.assert(
      fc.property(anyNodes, (nodes) => {
        const execution = anEnd({ nodes });
        const spans = spansOf(execution);
        const ran = nodes.filter(({ status }) => status === 'succeeded' || status === 'failed');
        expect(spans).toHaveLength(ran.length + 1);
        const known = new Map<string, Span>();
        for (const span of spans) {
          expect(known.has(span.spanId)).toBe(false);
          const parent = known.get(span.parentSpanId ?? '');
          expect(parent === undefined).toBe(known.size === 0);
          const [start = 0, end = 0] = timesOf(span);
          expect(end).toBeGreaterThanOrEqual(start);
          const [from = start, to = end] = parent === undefined ? [] : timesOf(parent);
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeLessThanOrEqual(to);
          for (const [at] of eventsOf(span)) {
            expect(at).toBeGreaterThanOrEqual(start);
            expect(at).toBeLessThanOrEqual(end);
          }
          known.set(span.spanId, span);
        }
        expect(spansOf(execution)).toEqual(spans);
      }),
    );
  });

  test('are what the protocol has, field by field', () => {
    fc.assert(
      fc.property(anyNodes, fc.boolean(), (nodes, isRetry) => {
        const retryOf = isRetry ? { executionId: 'e-0', fromNodeId: 'a' } : null;
        const body = toTracesBody(
          spansOf(anEnd({ nodes, retryOf })),
          { 'service.name': 'hookloom' },
          '1.0.0',
        );
        expect(withoutEmpty(decode(body))).toEqual(withoutEmpty(JSON.parse(body)));
      }),
      { numRuns: 50 },
    );
  });
});

/** Decoders add empty lists, which the protocol does not distinguish from missing ones. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => !(Array.isArray(inner) && inner.length === 0))
      .map(([key, inner]) => [key, withoutEmpty(inner)]),
  );
};

describe('the span of an execution', () => {
  test('says what ran, and how it ended', () => {
    const failure = {
      nodeId: 'charge',
      name: 'HttpStatusError',
      message: 'shop.example answered 503: s3cr3t',
    };
    const [span] = spansOf(anEnd({ status: 'failed', failure, invocations: 4, nodesOmitted: 2 }));
    expect(span).toMatchObject({ name: 'workflow orders', kind: 2, status: { code: 2 }, flags: 0x101 });
    expect(valuesOf(span?.attributes ?? [])).toEqual({
      'hookloom.execution.id': 'e-1',
      'hookloom.execution.mode': 'durable',
      'hookloom.execution.status': 'failed',
      'hookloom.execution.invocations': '4',
      'hookloom.execution.omitted_nodes': '2',
      'hookloom.workflow.id': 'orders',
      'hookloom.workflow.version': '3',
      'hookloom.trigger.type': 'webhookTrigger',
      'hookloom.failure.node_id': 'charge',
      'error.type': 'HttpStatusError',
    });
  });

  test('is below the caller’s, in another service', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(spansOf(anEnd({ traceparent }))[0]).toMatchObject({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '00f067aa0ba902b7',
      flags: 0x301,
    });
    expect(spansOf(anEnd())[0]).not.toHaveProperty('parentSpanId');
  });

  test.each([
    [{ nodeId: 'a', type: 'webhookTrigger' }, 2],
    [{ nodeId: 'a', type: 'webhookTrigger', byHand: true as const }, 1],
    [{ nodeId: 'a', type: 'queueTrigger' }, 5],
    [{ nodeId: 'a', type: 'scheduleTrigger' }, 1],
    [{ nodeId: 'a', type: 'ofAPlugin' }, 1],
  ])('of the trigger %j has the kind %i', (trigger, kind) => {
    expect(spansOf(anEnd({ trigger }))[0]).toMatchObject({ kind });
  });

  test('of a retry is linked to that of the execution that it retries', () => {
    const [retried] = spansOf(anEnd({ executionId: 'e-0' }));
    const [retry] = spansOf(anEnd({ retryOf: { executionId: 'e-0', fromNodeId: 'charge' } }));
    expect(retry?.traceId).not.toBe(retried?.traceId);
    expect(retry?.links).toMatchObject([{ traceId: retried?.traceId, spanId: executionSpanId('e-0') }]);
    expect(valuesOf(retry?.attributes ?? [])).toMatchObject({
      'hookloom.retry.execution_id': 'e-0',
      'hookloom.retry.from_node': 'charge',
    });
  });

  test('says when a held execution was released', () => {
    const [span] = spansOf(anEnd({ releasedAt: START + 4_000 }));
    expect(eventsOf(span as Span)).toEqual([[4_000, 'hookloom.released']]);
  });

  test('of a cancelled execution is no error', () => {
    expect(spansOf(anEnd({ status: 'cancelled' }))[0]?.status).toEqual({});
  });
});

describe('the span of a node run', () => {
  test('is the parent of what the node sends', () => {
    const { spanId } = nodeSpanOf(aNode());
    const toTraceparent = createTraceparents({ executionId: 'e-1', traceparent: null }, 1);
    expect(toTraceparent(nodeKeyOf(aNode())).split('-')[2]).toBe(spanId);
  });

  test('says what ran, and what it has counted', () => {
    const usage = { inputTokens: 120, outputTokens: 30, questions: 1.5 };
    const span = nodeSpanOf(aNode({ iteration: 2, usage }));
    expect(span).toMatchObject({ name: 'httpRequest charge', kind: 1, status: {} });
    expect(valuesOf(span.attributes)).toEqual({
      'hookloom.execution.id': 'e-1',
      'hookloom.workflow.id': 'orders',
      'hookloom.node.id': 'charge',
      'hookloom.node.type': 'httpRequest',
      'hookloom.node.iteration': '2',
      'hookloom.node.attempts': '1',
      'gen_ai.usage.input_tokens': '120',
      'gen_ai.usage.output_tokens': '30',
      'hookloom.usage.questions': 1.5,
    });
  });

  test('has its attempts and waits as events, in the order of their times', () => {
    const attemptTimes = [
      { number: 1, startedAt: START + 100, endedAt: START + 150 },
      { number: 2, startedAt: START + 2_150, endedAt: null },
    ];
    const waits = [
      { kind: 'time' as const, startedAt: START + 160, endedAt: START + 2_000 },
      { kind: 'callback' as const, startedAt: START + 2_200, endedAt: null },
    ];
    expect(eventsOf(nodeSpanOf(aNode({ durationMs: 5_000, attempts: 2, attemptTimes, waits })))).toEqual([
      [100, 'hookloom.attempt.started', '1'],
      [150, 'hookloom.attempt.ended', '1'],
      [160, 'hookloom.wait.started', 'time'],
      [2_000, 'hookloom.wait.ended', 'time'],
      [2_150, 'hookloom.attempt.started', '2'],
      [2_200, 'hookloom.wait.started', 'callback'],
    ]);
  });

  test('names its error unless the name may be a sentence, and never has the message', () => {
    const failed = (name: string) => {
      const span = nodeSpanOf(
        aNode({ status: 'failed', failure: { nodeId: 'charge', name, message: 's3cr3t' } }),
      );
      expect(span.status).toEqual({ code: 2 });
      expect(JSON.stringify(span)).not.toContain('s3cr3t');
      return valuesOf(span.attributes)['error.type'];
    };
    expect(failed('HttpStatusError')).toBe('HttpStatusError');
    expect(failed('the card 4242 was refused')).toBe('_OTHER');
    expect(failed('x'.repeat(101))).toBe('_OTHER');
  });

  test('of an inner run is below the node that runs it', () => {
    const nodes = [
      aNode({ nodeId: 'each', type: 'forEach', durationMs: 900 }),
      aNode({ within: 'each/0/3' }),
      aNode({ within: 'each/0/3/lost/0/1', nodeId: 'deep' }), // its node is not on record
    ];
    const [root, each, charge, deep] = spansOf(anEnd({ nodes }));
    expect(each?.parentSpanId).toBe(root?.spanId);
    expect([charge?.parentSpanId, deep?.parentSpanId]).toEqual([each?.spanId, each?.spanId]);
  });

  test('has nothing of its data', () => {
    const data = {
      input: { card: 's3cr3t' },
      outputs: { main: { card: 's3cr3t' } },
      reads: { card: 's3cr3t' },
    };
    expect(JSON.stringify(nodeSpanOf(aNode(data)))).not.toContain('s3cr3t');
  });
});
