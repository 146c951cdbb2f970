import { expect, test } from '@jest/globals';
import { listCallbackEvents, pageOf } from '../../src/engine/callback-history.ts';
import { advance, answerCallback, applyUpdates, createDurableState } from '../../src/engine/durable-state.ts';

const NOW = Date.UTC(2026, 0, 1);

/** An execution with one callback that was answered, one that has timed out and one that is open; and a step. */
const aState = () => {
  let ids = 0;
  const begun = applyUpdates(
    createDurableState('{}', NOW),
    [
      { Id: 'a', Name: 'ask', Type: 'CALLBACK', Action: 'START', CallbackOptions: { TimeoutSeconds: 60 } },
      { Id: 's', Type: 'STEP', Action: 'SUCCEED', Payload: '1' },
      { Id: 'b', ParentId: 'p', Type: 'CALLBACK', Action: 'START', CallbackOptions: { TimeoutSeconds: 5 } },
      { Id: 'c', Type: 'CALLBACK', Action: 'START' },
    ],
    NOW,
    () => `callback-${++ids}`,
  );
  const late = advance(begun, NOW + 10_000);
  return answerCallback(late, 'callback-1', '"yes"', NOW + 20_000) ?? late;
};

test('lists callbacks as they began and ended, in order of time', () => {
  const started = { EventType: 'CallbackStarted', EventTimestamp: new Date(NOW) };
  expect(listCallbackEvents(aState(), true)).toEqual([
    {
      ...started,
      EventId: 1,
      Id: 'a',
      Name: 'ask',
      CallbackStartedDetails: { CallbackId: 'callback-1', Timeout: 60 },
    },
    {
      ...started,
      EventId: 2,
      Id: 'b',
      ParentId: 'p',
      CallbackStartedDetails: { CallbackId: 'callback-2', Timeout: 5 },
    },
    { ...started, EventId: 3, Id: 'c', CallbackStartedDetails: { CallbackId: 'callback-3' } },
    {
      EventType: 'CallbackTimedOut',
      EventTimestamp: new Date(NOW + 10_000),
      EventId: 4,
      Id: 'b',
      ParentId: 'p',
      CallbackTimedOutDetails: { Error: {} },
    },
    {
      EventType: 'CallbackSucceeded',
      EventTimestamp: new Date(NOW + 20_000),
      EventId: 5,
      Id: 'a',
      Name: 'ask',
      CallbackSucceededDetails: { Result: { Payload: '"yes"', Truncated: false } },
    },
  ]);
});

test('leaves out payloads unless requested', () => {
  expect(listCallbackEvents(aState(), false).at(-1)?.CallbackSucceededDetails).toEqual({ Result: {} });
});

test('returns pages, and a marker while there are more', () => {
  const events = listCallbackEvents(aState(), true);
  const ids = (page: { Events: readonly { EventId: number }[] }) => page.Events.map(({ EventId }) => EventId);
  const first = pageOf(events, new URLSearchParams('MaxItems=2'));
  expect(ids(first)).toEqual([1, 2]);
  const second = pageOf(events, new URLSearchParams({ MaxItems: '2', Marker: first.NextMarker ?? '' }));
  expect(ids(second)).toEqual([3, 4]);
  const last = pageOf(events, new URLSearchParams({ MaxItems: '2', Marker: second.NextMarker ?? '' }));
  expect([ids(last), last.NextMarker]).toEqual([[5], undefined]);
  expect(ids(pageOf(events, new URLSearchParams('ReverseOrder=true&MaxItems=2')))).toEqual([5, 4]);
});

test('100 events a page unless asked otherwise, 1,000 at most', () => {
  const [event] = listCallbackEvents(aState(), true);
  const many = Array.from({ length: 101 }, () => event).filter((one) => one !== undefined);
  expect(pageOf(many, new URLSearchParams()).Events).toHaveLength(100);
  expect(pageOf(many, new URLSearchParams('MaxItems=0')).Events).toHaveLength(100);
  expect(pageOf(many, new URLSearchParams('MaxItems=1000')).Events).toHaveLength(101);
  for (const wrong of ['MaxItems=1001', 'MaxItems=-1', 'MaxItems=x', 'Marker=x', 'Marker=102']) {
    expect(() => pageOf(many, new URLSearchParams(wrong))).toThrow(/MaxItems|Marker/);
  }
});
