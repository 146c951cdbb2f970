import type { Operation } from '@aws/durable-execution-sdk-js';
import { InvalidParameterValueException } from '../net/api-error.ts';
import type { DurableState } from './durable-state.ts';

/**
 * One event of an execution's history in the answer of GetDurableExecutionHistory. The events of a callback share the
 * `Id` of its operation; only the first one names the `CallbackId`.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Event.html
 */
interface CallbackEvent {
  readonly EventType: 'CallbackStarted' | 'CallbackSucceeded' | 'CallbackTimedOut';
  /** The event's number from 1, in chronological order. */
  readonly EventId: number;
  readonly EventTimestamp: Date | undefined;
  readonly Id: string | undefined;
  readonly Name?: string | undefined;
  readonly ParentId?: string | undefined;
  readonly CallbackStartedDetails?: { readonly CallbackId: string | undefined; readonly Timeout?: number };
  readonly CallbackSucceededDetails?: {
    readonly Result: { readonly Payload?: string | undefined; readonly Truncated?: boolean };
  };
  readonly CallbackTimedOutDetails?: { readonly Error: Record<string, never> };
}

type BareEvent = Omit<CallbackEvent, 'EventId'>;

/** The events of an execution's callbacks; `withData` includes their answers. */
export const listCallbackEvents = (state: DurableState, withData: boolean): readonly CallbackEvent[] =>
  [...state.operations.values()]
    .filter(({ Type }) => Type === 'CALLBACK')
    .flatMap((operation) => [started(operation, state), ...ended(operation, withData)])
    .sort((a, b) => Number(a.EventTimestamp) - Number(b.EventTimestamp))
    .map((event, at) => ({ ...event, EventId: at + 1 }));

const describeOperation = ({ Id, Name, ParentId }: Operation) => ({
  Id,
  ...(Name === undefined ? {} : { Name }),
  ...(ParentId === undefined ? {} : { ParentId }),
});

const started = (operation: Operation, { callbackDeadlines }: DurableState): BareEvent => {
  const deadline = callbackDeadlines.get(operation.Id ?? '');
  return {
    EventType: 'CallbackStarted',
    EventTimestamp: operation.StartTimestamp,
    ...describeOperation(operation),
    CallbackStartedDetails: {
      CallbackId: operation.CallbackDetails?.CallbackId,
      ...(deadline === undefined ? {} : { Timeout: (deadline - Number(operation.StartTimestamp)) / 1_000 }),
    },
  };
};

const ended = (operation: Operation, withData: boolean): readonly BareEvent[] => {
  const base = { EventTimestamp: operation.EndTimestamp, ...describeOperation(operation) };
  switch (operation.Status) {
    case 'SUCCEEDED': {
      const Result = withData ? { Payload: operation.CallbackDetails?.Result, Truncated: false } : {};
      return [{ ...base, EventType: 'CallbackSucceeded', CallbackSucceededDetails: { Result } }];
    }
    case 'TIMED_OUT':
      return [{ ...base, EventType: 'CallbackTimedOut', CallbackTimedOutDetails: { Error: {} } }];
    default:
      return [];
  }
};

/** The event of an invocation whose process failed. */
export const invocationFailed = (reason: string) => ({
  EventType: 'InvocationCompleted',
  InvocationCompletedDetails: { Error: { Payload: { ErrorMessage: reason } } },
});

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

/**
 * The page for a request's `MaxItems`, `Marker` and `ReverseOrder`.
 * @throws InvalidParameterValueException when AWS would refuse the size, or the marker is unknown
 */
export const pageOf = <Event>(events: readonly Event[], query: URLSearchParams) => {
  const size = readCount(query, 'MaxItems', MAX_PAGE_SIZE) || DEFAULT_PAGE_SIZE;
  const from = readCount(query, 'Marker', events.length);
  const ordered = query.get('ReverseOrder') === 'true' ? events.toReversed() : events;
  const next = from + size;
  return {
    Events: ordered.slice(from, next),
    ...(next < events.length ? { NextMarker: String(next) } : {}),
  };
};

const readCount = (query: URLSearchParams, name: string, max: number): number => {
  const count = Number(query.get(name) ?? 0);
  if (Number.isInteger(count) && count >= 0 && count <= max) return count;
  throw new InvalidParameterValueException(`${name} must be a whole number from 0 to ${max}`);
};
