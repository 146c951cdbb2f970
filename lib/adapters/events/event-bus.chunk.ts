import type { Logger } from '@hookloom/plugin-kit';
import type { ExecutionEvents } from '../../executions/record/execution-store.ts';
import { EVENT_NOT_PUBLISHED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { askAws, type CallAws, createAwsCaller, postJson } from '../aws/aws-caller.ts';
import { countPublished, type EndOptions, toCloudEvent } from './completion-events.ts';

/** Publishes on an EventBridge bus, and counts the ends in the log. */
export const openEventBus = (
  { region, busName, ...options }: EndOptions & { readonly region: string; readonly busName: string },
  logger: Logger,
): ExecutionEvents =>
  countPublished(
    createEventBridgeEvents(createAwsCaller({ service: 'events', region, endpoint: null }), { busName }),
    logger,
    options,
  );

/**
 * Publishes on an EventBridge bus: the whole CloudEvent is the detail, its type the detail type.
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
export const createEventBridgeEvents = (
  call: CallAws,
  { busName }: { readonly busName: string },
): ExecutionEvents => ({
  publish: async (ended) => {
    const { executionId } = ended;
    const event = toCloudEvent(ended);
    const entry = {
      EventBusName: busName,
      Source: 'hookloom',
      DetailType: event.type,
      Time: ended.endedAt / 1_000,
      Resources: [],
      Detail: JSON.stringify(event),
    };
    const toError = (cause: unknown) => new AppError(EVENT_NOT_PUBLISHED, { executionId }, cause);
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' };
    const answer = await askAws(call, postJson('/', { Entries: [entry] }, headers), toError);
    // A 200 acknowledges the request; its body says whether the bus accepted the event.
    const { FailedEntryCount, Entries } = JSON.parse(answer.body.toString());
    if (FailedEntryCount === 0) return;
    const reason = Entries?.[0]?.ErrorCode ?? 'it was not accepted';
    throw toError(new Error(`EventBridge: ${reason}`));
  },
});
