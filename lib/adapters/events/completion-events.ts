import type { JsonObject, Logger } from '@hookloom/plugin-kit';
import type { EndedExecution, ExecutionEvents } from '../../executions/record/execution-store.ts';
import { countEnd, measure } from '../../shared/metrics.ts';

export interface EndOptions {
  /**
   * Whether ends of inline executions are counted; false in the function whose requests run them, since the log line of
   * a request already includes the end.
   */
  readonly countsInline: boolean;
}

/** Publishes to the log, one line per event, for a service without an event bus. */
export const createLogEvents = (logger: Logger, options: EndOptions): ExecutionEvents => ({
  publish: async (ended) => logger.info('event', { event: toCloudEvent(ended), ...toFields(ended, options) }),
});

/** Counts the ends that are published on a bus, which leaves nothing in the log. */
export const countPublished = (
  events: ExecutionEvents,
  logger: Logger,
  options: EndOptions,
): ExecutionEvents => ({
  publish: async (ended) => {
    await events.publish(ended);
    const { executionId, status, mode } = ended;
    if (options.countsInline || mode !== 'inline')
      logger.info('The execution has ended.', { executionId, status, ...toFields(ended, options) });
  },
});

const toFields = (
  { workflowId, mode, status, startedAt, endedAt, hasMetrics }: EndedExecution,
  { countsInline }: EndOptions,
) =>
  countsInline || mode !== 'inline'
    ? { workflowId, ...measure(countEnd({ status, durationMs: endedAt - startedAt }, hasMetrics)) }
    : {};

/** CloudEvents 1.0, in structured form: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md */
interface CloudEvent {
  readonly specversion: '1.0';
  /** Id of the event, unique together with `source`; the same if the event is published again. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  /** The time as in RFC 3339. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /**
   * Trace context of the request:
   * https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md
   */
  readonly traceparent?: string;
  readonly data: JsonObject;
}

const TYPES: Record<EndedExecution['status'], string> = {
  succeeded: 'workflow.execution.succeeded',
  failed: 'workflow.execution.failed',
  cancelled: 'workflow.execution.cancelled',
  timedOut: 'workflow.execution.timed_out',
};

/** The completion event of an execution. It contains no data of its nodes. */
export const toCloudEvent = (ended: EndedExecution): CloudEvent => {
  const { executionId, workflowId, workflowVersion, status, mode, trigger, startedAt, endedAt } = ended;
  const { failure, retryOf, traceparent } = ended;
  return {
    specversion: '1.0',
    id: `${executionId}:${status}`,
    source: `/workflows/${workflowId}`,
    type: TYPES[status],
    subject: executionId,
    time: new Date(endedAt).toISOString(),
    datacontenttype: 'application/json',
    ...(traceparent === null ? {} : { traceparent }),
    data: {
      ...{ executionId, workflowId, workflowVersion, status, mode },
      trigger: { nodeId: trigger.nodeId, type: trigger.type },
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      durationMs: endedAt - startedAt,
      failure: failure === null ? null : { ...failure },
      retryOf: retryOf === null ? null : { ...retryOf },
    },
  };
};
