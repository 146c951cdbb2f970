import type { Logger } from '../../contract/services.ts';
import type { ExecutionEvents } from '../../executions/record/execution-events.ts';
import { toCloudEvent } from './to-cloud-event.ts';

/** For a service that has no bus: one line in the log for each event. */
export const createLogEvents = (logger: Logger): ExecutionEvents => ({
  publish: async (ended) => logger.info('event', { event: toCloudEvent(ended) }),
});
