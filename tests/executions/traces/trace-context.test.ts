import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTraceparents, spanIdOf, traceOf } from '../../../lib/executions/traces/trace-context.ts';
import { readTraceparent } from '../../../lib/shared/traceparent.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const fromCaller = (flags: string) => `00-${TRACE_ID}-00f067aa0ba902b7-${flags}`;
const own = (executionId: string) => ({ executionId, traceparent: null });

describe('an execution with a caller’s trace context', () => {
  test('is in its trace, below its span, and sampled if it says so, whatever the ratio', () => {
    const trace = { traceId: TRACE_ID, parentSpanId: '00f067aa0ba902b7' };
    for (const [flags, isSampled] of [
      ['01', true],
      ['00', false],
      ['02', false],
      ['03', true],
    ] as const)
      for (const ratio of [0, 1])
        expect(traceOf({ executionId: 'e-1', traceparent: fromCaller(flags) }, ratio)).toEqual({
          ...trace,
          isSampled,
        });
  });

  test('hands it on with the span of each node run as the parent', () => {
    const toTraceparent = createTraceparents({ executionId: 'e-1', traceparent: fromCaller('00') }, 1);
    const spanId = spanIdOf('e-1', { nodeId: 'charge', iteration: 0, within: 'each/0/3' });
    expect(toTraceparent('each/0/3/charge/0')).toBe(`00-${TRACE_ID}-${spanId}-00`);
  });
});

describe('an execution without one', () => {
  test('begins a trace whose ids are valid, and always the same', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{1,64}$/), fc.stringMatching(/^[\w/-]{1,64}$/), (id, key) => {
        const header = createTraceparents(own(id), 0.5)(key);
        expect(readTraceparent(header)).toBe(header);
        expect(createTraceparents(own(id), 0.5)(key)).toBe(header);
        expect(header.split('-')[1]).toBe(traceOf(own(id), 1).traceId);
      }),
    );
  });

  test('is sampled at the ratio, and at each greater one', () => {
    const ids = Array.from({ length: 2_000 }, (_, at) => `e-${at}`);
    const sampledAt = (ratio: number) => ids.filter((id) => traceOf(own(id), ratio).isSampled);
    expect(sampledAt(0)).toEqual([]);
    expect(sampledAt(1)).toEqual(ids);
    const tenth = sampledAt(0.1);
    expect(tenth.length).toBeGreaterThan(120);
    expect(tenth.length).toBeLessThan(280);
    expect(sampledAt(0.5)).toEqual(expect.arrayContaining(tenth));
  });
});
