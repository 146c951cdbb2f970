import type { Logger } from '@hookloom/plugin-kit';
import type { ExecutionEvents } from '../../executions/record/execution-store.ts';
import { EVENT_NOT_PUBLISHED } from '../../shared/error-catalogue.ts';
import { AppError } from '../../shared/errors.ts';
import { type CallAws, createAwsCaller } from '../aws/aws-caller.ts';
import { isSuccess, toCause } from '../aws/aws-error.ts';
import { countPublished, type EndOptions, toCloudEvent } from './completion-events.ts';

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
    const answer = await call({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' },
      body: JSON.stringify({ Entries: [entry] }),
    }).catch((cause: unknown) => {
      throw new AppError(EVENT_NOT_PUBLISHED, { executionId }, cause);
    });
    if (!isSuccess(answer)) throw new AppError(EVENT_NOT_PUBLISHED, { executionId }, toCause(answer));
    // A 200 acknowledges the request; its body says whether the bus accepted the event.
    const { FailedEntryCount, Entries } = JSON.parse(answer.body.toString());
    if (FailedEntryCount === 0) return;
    const reason = Entries?.[0]?.ErrorCode ?? 'it was not accepted';
    throw new AppError(EVENT_NOT_PUBLISHED, { executionId }, new Error(`EventBridge: ${reason}`));
  },
});
