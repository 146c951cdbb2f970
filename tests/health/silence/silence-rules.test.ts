import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findSilences,
  GRACE_MS,
  type Silence,
  type TriggerFacts,
  type WorkflowFacts,
} from '../../../lib/health/silence/silence-rules.ts';
import { cases } from '../../support/deep.ts';

const NOW = Date.UTC(2026, 10, 29, 9, 30);
const HOUR = 3_600_000;

const fine: TriggerFacts = {
  nodeId: 'daily',
  registration: 'on',
  fired: { due: NOW - HOUR, hasFired: true },
  pollFailure: null,
  badEnd: null,
};

const aWorkflow = (trigger: Partial<TriggerFacts>, others: Partial<WorkflowFacts> = {}): WorkflowFacts => ({
  workflowId: 'orders',
  refusal: null,
  triggers: [{ ...fine, ...trigger }],
  expected: null,
  history: null,
  ...others,
});

const expected = { atLeast: 1, every: '1 day', started: 1 };

const found = (facts: WorkflowFacts, open: readonly Silence[] = [], now = NOW) =>
  findSilences(facts, open, now).map(({ rule, message }) => `${rule}: ${message}`);

const REMEDY = 'Disable and enable the workflow, which registers it again';

test.each<[string, WorkflowFacts, string | null]>([
  ['what is registered and fires', aWorkflow({}), null],
  [
    'what was deleted in AWS',
    aWorkflow({ registration: 'missing' }),
    `missing: Trigger "daily" of workflow "orders", since 2026-11-29T09:30Z: has no registration in AWS: it was deleted there, and nothing fires the trigger. ${REMEDY}.`,
  ],
  [
    'what is switched off in AWS, and so has not fired',
    aWorkflow({ registration: 'off', fired: { due: NOW - HOUR, hasFired: false } }),
    `off: Trigger "daily" of workflow "orders", since 2026-11-29T09:30Z: is switched off in AWS, and nothing fires it. ${REMEDY}, or switch it on there.`,
  ],
  [
    'what was due',
    aWorkflow({ fired: { due: NOW - HOUR, hasFired: false } }),
    'late: Trigger "daily" of workflow "orders", since 2026-11-29T08:30Z: was due and has not fired. Look for its event among the dead letters of triggers, and in the log of dispatch.',
  ],
  ['what was not due yet', aWorkflow({ fired: null }), null],
  [
    'polls that fail for longer than the grace',
    aWorkflow({ pollFailure: { since: NOW - GRACE_MS, message: 'no host' } }),
    `failingPoll: Trigger "daily" of workflow "orders", since 2026-11-29T09:15Z: can't poll: no host. The next poll that succeeds ends this.`,
  ],
  ['polls that just failed', aWorkflow({ pollFailure: { since: NOW - GRACE_MS + 1, message: '' } }), null],
  [
    'what tells people of failures, and fails itself',
    aWorkflow({ fired: null, badEnd: { executionId: 'e-1', at: NOW - HOUR, how: 'timed out' } }),
    'tellsNobody: Trigger "daily" of workflow "orders", since 2026-11-29T08:30Z: its latest execution timed out, so what it should tell reaches nobody. See hookloom execution show e-1. The next execution that succeeds ends this.',
  ],
  [
    'triggers that are refused',
    aWorkflow({}, { triggers: [], refusal: 'trigger daily: the group is full' }),
    `refused: Workflow "orders", since 2026-11-29T09:30Z: its triggers can't be registered: trigger daily: the group is full. Correct it and put the workflow again.`,
  ],
  ['a workflow that runs as often as expected', aWorkflow({}, { expected }), null],
  [
    'a workflow that runs less',
    aWorkflow({}, { expected: { ...expected, started: 0 } }),
    'below: Workflow "orders", since 2026-11-29T09:30Z: fewer than 1 execution starts in 1 day, as settings.expect says. Look at what starts it.',
  ],
  [
    'a workflow that runs less, since its trigger is switched off',
    aWorkflow({ registration: 'off' }, { expected: { ...expected, started: 0 } }),
    `off: Trigger "daily" of workflow "orders", since 2026-11-29T09:30Z: is switched off in AWS, and nothing fires it. ${REMEDY}, or switch it on there.`,
  ],
  [
    'a webhook that fell silent',
    aWorkflow(
      { fired: null },
      { history: { hours: Array.from({ length: 400 }, (_, at) => NOW - (30 + at) * HOUR), since: 0 } },
    ),
    'quiet: Workflow "orders", since 2026-11-28T04:30Z: its webhooks get no requests, after pauses of at most 0 hours in the four weeks before. Ask the sender; set settings.expect to false if this is normal.',
  ],
])('%s is told', (_what, facts, told) => {
  expect(found(facts)).toEqual(told === null ? [] : [told]);
});

test('each trigger is told by itself', () => {
  const triggers = [
    { ...fine, nodeId: 'a', registration: 'off' as const },
    fine,
    { ...fine, nodeId: 'b', registration: 'missing' as const },
  ];
  expect(findSilences(aWorkflow({}, { triggers }), [], NOW)).toMatchObject([
    { triggerNodeId: 'a', rule: 'off' },
    { triggerNodeId: 'b', rule: 'missing' },
  ]);
});

describe('what was found before', () => {
  const open = findSilences(aWorkflow({ fired: { due: NOW - HOUR, hasFired: false } }), [], NOW);

  test('keeps its time while it lasts', () => {
    const later = aWorkflow({ fired: { due: NOW, hasFired: false } });
    expect(findSilences(later, open, NOW + HOUR)).toEqual(open);
  });

  test('remains while nothing is known', () => {
    const unknown = aWorkflow({ fired: { due: NOW - HOUR, hasFired: null } });
    expect(findSilences(unknown, open, NOW + HOUR)).toEqual(open);
    expect(findSilences(unknown, [], NOW + HOUR)).toEqual([]);
    expect(findSilences({ ...unknown, workflowId: 'other' }, open, NOW + HOUR)).toEqual([]);
  });

  test('is over when the trigger has fired', () => {
    expect(findSilences(aWorkflow({}), open, NOW + HOUR)).toEqual([]);
  });
});

test('what is told has at most 300 characters, and its remedy', () => {
  const [{ message } = { message: '' }] = findSilences(
    aWorkflow({ pollFailure: { since: 0, message: 'x'.repeat(500) } }),
    [],
    NOW,
  );
  expect(message).toHaveLength(300);
  expect(message).toMatch(/x…\. The next poll that succeeds ends this\.$/);
});

const aTrigger = fc.record({
  nodeId: fc.constantFrom('a', 'b'),
  registration: fc.constantFrom('on', 'off', 'missing', null),
  fired: fc.option(fc.record({ due: fc.constant(NOW - HOUR), hasFired: fc.constantFrom(true, false, null) })),
  pollFailure: fc.option(
    fc.record({ since: fc.constantFrom(NOW - HOUR, NOW), message: fc.string({ unit: 'grapheme' }) }),
  ),
  badEnd: fc.option(fc.constant({ executionId: 'e-1', at: NOW - HOUR, how: 'failed' } as const)),
});

const someFacts: fc.Arbitrary<WorkflowFacts> = fc.record({
  workflowId: fc.constant('orders'),
  refusal: fc.constantFrom(null, 'full'),
  triggers: fc.uniqueArray(aTrigger, { selector: ({ nodeId }) => nodeId }),
  expected: fc.option(fc.record({ ...toConstants(expected), started: fc.constantFrom(0, 1, null) })),
  history: fc.constant(null),
});

function toConstants({ atLeast, every }: typeof expected) {
  return { atLeast: fc.constant(atLeast), every: fc.constant(every) };
}

test('of any facts at most one thing is told about a trigger; the workflow itself only when its triggers are fine', () => {
  fc.assert(
    fc.property(someFacts, someFacts, (first, second) => {
      const open = findSilences(first, [], NOW);
      for (const told of [open, findSilences(second, open, NOW + HOUR)]) {
        const places = told.map(({ triggerNodeId }) => triggerNodeId);
        expect(new Set(places).size).toBe(places.length);
        if (places.includes(null)) expect(places).toEqual([null]);
        for (const { message } of told) expect(message.length).toBeLessThanOrEqual(300);
      }
    }),
    { numRuns: cases(200, 5_000) },
  );
});

test('the same facts tell the same again, and later with the same time', () => {
  fc.assert(
    fc.property(someFacts, (facts) => {
      const open = findSilences(facts, [], NOW);
      expect(findSilences(facts, open, NOW)).toEqual(open);
      for (const later of findSilences(facts, open, NOW + HOUR)) {
        const isSame = ({ rule, triggerNodeId }: Silence) =>
          rule === later.rule && triggerNodeId === later.triggerNodeId;
        expect(later.since).toBe(open.find(isSame)?.since ?? later.since);
      }
    }),
    { numRuns: cases(200, 5_000) },
  );
});
