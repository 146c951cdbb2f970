import type { Logger } from '@hookloom/plugin-kit';
import type { ExecutionEvents } from '../../executions/record/execution-store.ts';
import { createAwsCaller } from '../aws/aws-caller.ts';
import { createEventBridgeEvents } from './event-bridge-events.ts';
import { countPublished, type EndOptions } from './log-events.ts';

interface BusOptions extends EndOptions {
  readonly region: string;
  readonly busName: string;
}

/** Publishes on an EventBridge bus, and counts the ends in the log. */
export const openEventBus = ({ region, busName, ...options }: BusOptions, logger: Logger): ExecutionEvents =>
  countPublished(
    createEventBridgeEvents(createAwsCaller({ service: 'events', region, endpoint: null }), { busName }),
    logger,
    options,
  );
