import type { Logger } from '@hookloom/plugin-kit';
import type { EndedExecution, ExecutionEvents } from '../../executions/record/execution-store.ts';
import { countEnd } from '../../shared/metrics/count-executions.ts';
import { measure } from '../../shared/metrics/metrics.ts';
import { toCloudEvent } from './to-cloud-event.ts';

export interface EndOptions {
  /** False in the function whose requests run executions, since the log line of a request already includes the end. */
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
