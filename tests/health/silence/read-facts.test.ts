import type { JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { readFacts } from '../../../lib/health/silence/read-facts.ts';
import type { WatchedWorkflow } from '../../../lib/health/silence/watch-workflows.ts';
import type { PollRecord } from '../../../lib/state/poll-record.ts';
import { writeEntry } from '../../../lib/state/write-entry.ts';
import { inMemoryStores } from '../../support/a-queue-trigger.ts';
import { inMemoryState } from '../../support/in-memory-state.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const aWatched = (changes: Partial<WatchedWorkflow> = {}): WatchedWorkflow => ({
  id: 'news',
  changedAt: NOW - 10 * DAY,
  expect: undefined,
  refusal: null,
  hasWebhooks: false,
  triggers: [
    {
      registration: {
        name: 'N',
        workflowId: 'news',
        triggerNodeId: 'feed',
        nodeType: 'pollTrigger',
        parameters: { cron: '0 9 * * *' },
        state: 'registered',
        changedAt: NOW - 10 * DAY,
        revision: 2,
      },
      source: { toInput: (event) => event, toKey: () => '' },
      polls: true,
    },
  ],
  ...changes,
});

const factsOf = async (
  workflow: WatchedWorkflow,
  {
    record,
    retentionMs = 30 * DAY,
  }: { readonly record?: Partial<PollRecord>; readonly retentionMs?: number } = {},
) => {
  const state = inMemoryState();
  const value = { batch: 0, found: 0, started: 0, failure: null, running: null, ...record };
  if (record !== undefined)
    await writeEntry(state, null, {
      ...{ scope: 'workflow:news', key: 'feed', expiresAt: null, writtenAt: 0, effect: null },
      writtenBy: { executionId: null, caller: null },
      content: { kind: 'value', value: value as unknown as JsonValue },
    });
  const ports = {
    ...inMemoryStores(),
    inspect: async () => null,
    state,
    statistics: { read: async function* () {} },
    windowMs: DAY,
    retentionMs,
  };
  return readFacts(workflow, false, ports, NOW);
};

const at = (ms: number): string => new Date(ms).toISOString();
const due = NOW - 3 * HOUR;

describe('a poll that was due', () => {
  test.each<[string, Partial<PollRecord> | undefined, boolean]>([
    ['has happened', { polledAt: at(due + 1_000) }, true],
    ['is running', { polledAt: at(due - DAY), running: { requestId: 'a', until: NOW + 1 } }, true],
    ['has not happened', { polledAt: at(due - DAY) }, false],
    ['has never happened', undefined, false],
  ])('%s', async (_what, record, hasFired) => {
    const { triggers } = await factsOf(aWatched(), record === undefined ? {} : { record });
    expect(triggers).toMatchObject([{ fired: { due, hasFired }, pollFailure: null }]);
  });

  test('is not looked for in a workflow that says itself how often it should run, but its failure is', async () => {
    const failure = { name: 'Error', message: 'no host', executionId: null, since: at(NOW - 2 * HOUR) };
    const { triggers } = await factsOf(aWatched({ expect: { every: '1 day' } }), {
      record: { polledAt: at(NOW - HOUR), failure },
    });
    expect(triggers).toMatchObject([
      { fired: null, pollFailure: { since: NOW - 2 * HOUR, message: 'no host' } },
    ]);
  });
});

describe('how often a workflow should run', () => {
  const every = { expect: { atLeast: 2, every: '7 days' } };

  test('counts from when it was stored', async () => {
    expect((await factsOf(aWatched({ ...every, changedAt: NOW - 7 * DAY }))).expected).toEqual({
      atLeast: 2,
      every: '7 days',
      started: 0,
    });
    expect((await factsOf(aWatched({ ...every, changedAt: NOW - 7 * DAY + 1 }))).expected).toBeNull();
  });

  test('can be found out for as long as records are kept', async () => {
    expect((await factsOf(aWatched(every), { retentionMs: 7 * DAY - 1 })).expected).toBeNull();
  });
});
