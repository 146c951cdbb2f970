import type { JsonObject } from '@hookloom/plugin-kit';
import type { EndedExecution } from '../../executions/record/execution-store.ts';

/** CloudEvents 1.0, in structured form: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md */
interface CloudEvent {
  readonly specversion: '1.0';
  /** Unique together with `source`; the same if the event is published again. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  /** The time as in RFC 3339. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md */
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
