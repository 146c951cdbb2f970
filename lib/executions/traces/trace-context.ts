// Ids and sampling of traces. All follow from an execution's record, so that a span sent twice is the same span, and requests made
// while the execution runs name spans that are sent after its end.

import { hash } from 'node:crypto';
import { nodeKeyOf } from '../../engine/node-run.ts';
import type { NodeRecord } from '../../engine/result.ts';
import type { ExecutionIdentity } from '../record/execution-store.ts';

/** The trace of an execution. Ids are in lower-case hexadecimal. */
export interface ExecutionTrace {
  readonly traceId: string;
  /** The caller's span; null if the trace begins with the execution. */
  readonly parentSpanId: string | null;
  readonly isSampled: boolean;
}

type Traced = Pick<ExecutionIdentity, 'executionId' | 'traceparent'>;

/**
 * The caller's trace with the caller's decision whether it is sampled, or a trace of the execution's own.
 * @param ratio - of the traces that begin here, 0 to 1
 */
export const traceOf = ({ executionId, traceparent }: Traced, ratio: number): ExecutionTrace => {
  if (traceparent !== null) {
    const [, traceId = '', parentSpanId = '', flags = ''] = traceparent.split('-');
    return { traceId, parentSpanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
  }
  const traceId = hash('sha256', `trace/${executionId}`).slice(0, TRACE_ID_LENGTH);
  return { traceId, parentSpanId: null, isSampled: isWithinRatio(traceId, ratio) };
};

/** Flags of version 00: https://www.w3.org/TR/trace-context/#trace-flags */
const SAMPLED = 1;
const TRACE_ID_LENGTH = 32;
const SPAN_ID_LENGTH = 16;

/**
 * OpenTelemetry's TraceIdRatioBased, as its SDKs for Go and Python compute it: from the last 64 bits of the id.
 * https://opentelemetry.io/docs/specs/otel/trace/sdk/#traceidratiobased
 */
const isWithinRatio = (traceId: string, ratio: number): boolean =>
  Number(BigInt(`0x${traceId.slice(-16)}`)) < ratio * 2 ** 64;

/** The id of an execution's span. */
export const executionSpanId = (executionId: string): string => toSpanId(executionId);

/** The id of a node run's span. @param nodeKey - see `nodeKeyOf` */
const nodeSpanId = (executionId: string, nodeKey: string): string => toSpanId(`${executionId}/${nodeKey}`);

const toSpanId = (name: string): string => hash('sha256', `span/${name}`).slice(0, SPAN_ID_LENGTH);

/** The id of the span of a node's record. */
export const spanIdOf = (
  executionId: string,
  node: Pick<NodeRecord, 'nodeId' | 'iteration' | 'within'>,
): string => nodeSpanId(executionId, nodeKeyOf(node));

/** The header that makes what it is sent to a child of a span. */
const toTraceparent = ({ traceId, isSampled }: ExecutionTrace, spanId: string): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The `traceparent` of what an execution causes. */
export const toTraceAfter = (execution: Traced, ratio: number): string =>
  toTraceparent(traceOf(execution, ratio), executionSpanId(execution.executionId));

/**
 * What the requests of an execution's nodes carry.
 * @returns the `traceparent` of a node run, by its key
 */
export const createTraceparents = (execution: Traced, ratio: number): ((nodeKey: string) => string) => {
  const trace = traceOf(execution, ratio);
  return (nodeKey) => toTraceparent(trace, nodeSpanId(execution.executionId, nodeKey));
};
