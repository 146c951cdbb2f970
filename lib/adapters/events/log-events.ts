import type { Logger } from '../../contract/services.ts';
import type { ExecutionEvents } from '../../executions/record/execution-events.ts';
import { toCloudEvent } from './to-cloud-event.ts';

/** Publishes to the log, one line per event, for a service without an event bus. */
export const createLogEvents = (logger: Logger): ExecutionEvents => ({
  publish: async (ended) => logger.info('event', { event: toCloudEvent(ended) }),
});
