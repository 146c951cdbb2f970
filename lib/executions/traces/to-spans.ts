import { nodeKeyOf } from '../../engine/node-run.ts';
import type { NodeFailure, NodeRecord } from '../../engine/result.ts';
import type { ExecutionRecord } from '../record/execution-store.ts';
import {
  type AttributeValues,
  SPAN_FLAGS,
  SPAN_KIND,
  type Span,
  STATUS_ERROR,
  toAttributes,
  toNanos,
} from './otlp.ts';
import { type ExecutionTrace, executionSpanId, spanIdOf, traceOf } from './trace-context.ts';

/** What spans say of an execution: nothing that callers have sent. */
export type TracedExecution = Pick<
  ExecutionRecord,
  | 'executionId'
  | 'workflowId'
  | 'workflowVersion'
  | 'trigger'
  | 'mode'
  | 'status'
  | 'startedAt'
  | 'endedAt'
  | 'releasedAt'
  | 'retryOf'
  | 'traceparent'
  | 'invocations'
  | 'nodes'
  | 'nodesOmitted'
  | 'failure'
>;

/**
 * The spans of an execution that has ended: its own, and one for each node that has run. A parent precedes its children, and
 * includes their times.
 */
export const toSpans = (execution: TracedExecution, trace: ExecutionTrace): Span[] => {
  const root = toExecutionSpan(execution, trace);
  const known = new Map<string, Times>([['', root]]);
  const spans = [root.span];
  for (const node of execution.nodes) {
    if (node.status === 'skipped' || node.status === 'passedThrough') continue;
    const parent = findParent(node, known);
    const made = toNodeSpan(node, parent, execution, trace);
    known.set(nodeKeyOf(node), made);
    spans.push(made.span);
  }
  return spans;
};

/** A span with its times in milliseconds. */
interface Times {
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

/** The node run that has started this one; the next one around it if that is not on record. */
const findParent = ({ within = '' }: NodeRecord, known: ReadonlyMap<string, Times>): Times => {
  for (let key = within; ; key = key.slice(0, Math.max(0, key.lastIndexOf('/')))) {
    const found = known.get(key);
    if (found !== undefined) return found;
  }
};

/** Triggers that are fired from outside; all others begin inside: schedules, polls, failures. */
const KINDS: Readonly<Record<string, number>> = {
  webhookTrigger: SPAN_KIND.server,
  eventTrigger: SPAN_KIND.consumer,
  queueTrigger: SPAN_KIND.consumer,
};

const toExecutionSpan = (execution: TracedExecution, { traceId, parentSpanId }: ExecutionTrace): Times => {
  const { executionId, workflowId, workflowVersion, trigger, mode, status, startedAt, retryOf } = execution;
  const { endedAt, releasedAt, failure, invocations, nodesOmitted } = execution;
  const end = Math.max(startedAt, endedAt ?? startedAt);
  const isError = status === 'failed' || status === 'timedOut';
  const span: Span = {
    traceId,
    spanId: executionSpanId(executionId),
    ...(parentSpanId === null ? {} : { parentSpanId }),
    flags: parentSpanId === null ? SPAN_FLAGS.local : SPAN_FLAGS.remote,
    name: `workflow ${workflowId}`,
    kind: (trigger.byHand === true ? undefined : KINDS[trigger.type]) ?? SPAN_KIND.internal,
    startTimeUnixNano: toNanos(startedAt),
    endTimeUnixNano: toNanos(end),
    attributes: toAttributes({
      'hookloom.execution.id': executionId,
      'hookloom.execution.mode': mode,
      'hookloom.execution.status': status,
      'hookloom.execution.invocations': invocations || undefined,
      'hookloom.execution.omitted_nodes': nodesOmitted || undefined,
      'hookloom.workflow.id': workflowId,
      'hookloom.workflow.version': workflowVersion,
      'hookloom.trigger.type': trigger.type,
      'hookloom.trigger.by_hand': trigger.byHand,
      'hookloom.retry.execution_id': retryOf?.executionId,
      'hookloom.retry.from_node': retryOf?.fromNodeId ?? undefined,
      'hookloom.failure.node_id': failure?.nodeId,
      'error.type': toErrorType(failure),
    }),
    events: releasedAt === null ? [] : [toEvent('hookloom.released', clamp(releasedAt, startedAt, end), {})],
    links: retryOf === null ? [] : [toRetryLink(execution, retryOf.executionId)],
    status: isError ? { code: STATUS_ERROR } : {},
  };
  return { span, start: startedAt, end };
};

/** A retry has the `traceparent` of the execution that it repeats. */
const toRetryLink = ({ traceparent }: Pick<TracedExecution, 'traceparent'>, executionId: string) => ({
  traceId: traceOf({ executionId, traceparent }, 0).traceId,
  spanId: executionSpanId(executionId),
  attributes: toAttributes({ 'hookloom.link': 'retry' }),
});

const toNodeSpan = (
  node: NodeRecord,
  parent: Times,
  { executionId, workflowId }: TracedExecution,
  { traceId }: ExecutionTrace,
): Times => {
  const {
    nodeId,
    type,
    status,
    iteration,
    within,
    attempts,
    startedAt,
    durationMs,
    failure,
    usage = {},
  } = node;
  // Clocks of two machines differ.
  const start = clamp(startedAt, parent.start, parent.end);
  const end = clamp(startedAt + durationMs, start, parent.end);
  const span: Span = {
    traceId,
    spanId: spanIdOf(executionId, node),
    parentSpanId: parent.span.spanId,
    flags: SPAN_FLAGS.local,
    name: `${type} ${nodeId}`,
    kind: SPAN_KIND.internal,
    startTimeUnixNano: toNanos(start),
    endTimeUnixNano: toNanos(end),
    attributes: toAttributes({
      'hookloom.execution.id': executionId,
      'hookloom.workflow.id': workflowId,
      'hookloom.node.id': nodeId,
      'hookloom.node.type': type,
      'hookloom.node.iteration': iteration,
      'hookloom.node.within': within,
      'hookloom.node.attempts': attempts,
      ...Object.fromEntries(
        Object.entries(usage).map(([name, amount]) => [USAGE[name] ?? `hookloom.usage.${name}`, amount]),
      ),
      'error.type': toErrorType(failure ?? null),
    }),
    events: toEvents(node, start, end),
    links: [],
    status: status === 'failed' ? { code: STATUS_ERROR } : {},
  };
  return { span, start, end };
};

/** The names that OpenTelemetry has for amounts: https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/ */
const USAGE: Readonly<Record<string, string>> = {
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
};

/** Attempts and waits, by time. */
const toEvents = ({ attemptTimes = [], waits = [] }: NodeRecord, start: number, end: number) => {
  const moments = [
    ...attemptTimes.flatMap(({ number, startedAt, endedAt }) => {
      const values = { 'hookloom.attempt': number };
      return [
        { name: 'hookloom.attempt.started', at: startedAt, values },
        ...(endedAt === null ? [] : [{ name: 'hookloom.attempt.ended', at: endedAt, values }]),
      ];
    }),
    ...waits.flatMap(({ kind, startedAt, endedAt }) => {
      const values = { 'hookloom.wait.for': kind };
      return [
        { name: 'hookloom.wait.started', at: startedAt, values },
        ...(endedAt === null ? [] : [{ name: 'hookloom.wait.ended', at: endedAt, values }]),
      ];
    }),
  ];
  return moments
    .sort((a, b) => a.at - b.at)
    .map(({ name, at, values }) => toEvent(name, clamp(at, start, end), values));
};

const toEvent = (name: string, at: number, values: AttributeValues) => ({
  timeUnixNano: toNanos(at),
  name,
  attributes: toAttributes(values),
});

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);

const ERROR_NAME = /^[\w.:-]{1,100}$/;

/**
 * The name of an error. A name that may be a sentence, which a workflow can set, is not sent; `_OTHER` is what OpenTelemetry has
 * for that. Messages are never sent: they may quote data.
 */
const toErrorType = (failure: Pick<NodeFailure, 'name'> | null): string | undefined => {
  if (failure === null) return undefined;
  return ERROR_NAME.test(failure.name) ? failure.name : '_OTHER';
};
