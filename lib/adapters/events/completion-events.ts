import type { Logger } from '@hookloom/plugin-kit';
import type { EndedExecution, ExecutionEvents } from '../../executions/record/execution-store.ts';
import { countEnd, measure } from '../../shared/metrics.ts';

export interface EndOptions {
  /**
   * Whether ends of inline executions are counted; false in the function whose requests run them, since the log line of
   * a request already includes the end.
   */
  readonly countsInline: boolean;
}

/**
 * Publishes to the log, one line per event, for a service without an event bus. The success of an inline execution is in the
 * line of its request, if it has one.
 */
export const createLogEvents = (logger: Logger, options: EndOptions): ExecutionEvents => ({
  publish: async (ended) => {
    if (!options.countsInline && ended.mode === 'inline' && ended.status === 'succeeded') return;
    logger.info('event', { event: toCloudEvent(ended), ...toFields(ended, options) });
  },
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

const TYPES: Record<EndedExecution['status'], string> = {
  succeeded: 'workflow.execution.succeeded',
  failed: 'workflow.execution.failed',
  cancelled: 'workflow.execution.cancelled',
  timedOut: 'workflow.execution.timed_out',
};

/**
 * The completion event of an execution, without data of its nodes, as CloudEvents 1.0 in structured form:
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
 * `traceparent` is https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md
 */
export const toCloudEvent = (ended: EndedExecution) => {
  const { executionId, workflowId, workflowVersion, status, mode, trigger, startedAt, endedAt } = ended;
  const { failure, retryOf, traceparent } = ended;
  return {
    specversion: '1.0',
    id: `${executionId}:${status}`, // the same if the event is published again
    source: `/workflows/${workflowId}`,
    type: TYPES[status],
    subject: executionId,
    time: new Date(endedAt).toISOString(),
    datacontenttype: 'application/json',
    ...(traceparent === null ? {} : { traceparent }),
    data: {
      executionId,
      workflowId,
      workflowVersion,
      status,
      mode,
      trigger: { nodeId: trigger.nodeId, type: trigger.type },
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
      durationMs: endedAt - startedAt,
      failure: failure === null ? null : { ...failure },
      retryOf: retryOf === null ? null : { ...retryOf },
    },
  };
};
