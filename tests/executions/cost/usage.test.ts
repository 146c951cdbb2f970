import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import { describeCost, describePrices } from '../../../lib/executions/cost/describe-cost.ts';
import { addUsage, costOf, usageOf } from '../../../lib/executions/cost/usage.ts';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import { anExecutionStart } from '../../support/a-start.ts';
import { aUsage } from '../../support/a-usage.ts';

const STARTED = 1_700_000_000_000;

const aNode = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'call',
  type: 'httpRequest',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: STARTED + 100,
  durationMs: 40,
  ...changes,
});

/** A durable execution of one node, which ran in one process: with a lease and no progress. */
const aRecord = (changes: Partial<ExecutionRecord> = {}): ExecutionRecord => {
  const { input: _input, callbackKey: _key, retriedCheckpoints: _retried, ...start } = anExecutionStart();
  return {
    ...start,
    status: 'succeeded',
    endedAt: STARTED + 300,
    nodes: [aNode()],
    nodesOmitted: 0,
    failure: null,
    leaseOwner: 'arn-1',
    invocations: 1,
    journalSize: 1,
    crashes: 0,
    releasedAt: null,
    redispatches: 0,
    result: null,
    isInOutbox: false,
    leaseExpiresAt: null,
    writes: 1,
    ...changes,
  };
};

const inline = { mode: 'inline', invocations: 0, journalSize: 0 } as const;

const measured = { bytes: 900, hasBus: false };

const billedOf = (changes: Partial<ExecutionRecord>, how: Partial<typeof measured> = {}) =>
  usageOf(aRecord(changes), { ...measured, ...how })?.billed;

describe('what an execution used', () => {
  test('is unknown until it ends, and of a background run that an earlier release recorded', () => {
    expect(usageOf(aRecord({ status: 'waiting', endedAt: null }), measured)).toBeNull();
    const { writes: _writes, ...earlier } = aRecord();
    expect(usageOf(earlier, measured)).toBeNull();
    expect(usageOf({ ...earlier, mode: 'express', invocations: 0 }, measured)).not.toBeNull();
  });

  test('has the time of its processes, without the time that it waited for one, or for an answer', () => {
    const seconds = (changes: Partial<ExecutionRecord>) =>
      ((billedOf(changes)?.gigabyteSeconds ?? 0) * 1_024) / 1_769;
    // A request, an invocation, and 200 ms from its first node to its end.
    expect(seconds({})).toBeCloseTo(0.22);
    // A day of waiting, in two processes that ran 70 ms together.
    const waited = { endedAt: STARTED + 86_400_000, invocations: 2, activeMs: 70 };
    expect(seconds(waited)).toBeCloseTo(0.1);
    expect(seconds({ ...inline, endedAt: STARTED + 300 })).toBeCloseTo(0.31);
    // A sweep ended it an hour after its process had died, which Lambda stops after 15 minutes.
    expect(seconds({ status: 'failed', endedAt: STARTED + 3_600_000 })).toBeCloseTo(900.02);
  });

  test('has an operation for the start, for each of the engine, and for each further attempt', () => {
    expect(billedOf({ journalSize: 3, nodes: [aNode({ attempts: 3 }), aNode()] })).toMatchObject({
      durableOperations: 1 + 3 + 2,
    });
    expect(billedOf({ mode: 'express', journalSize: 0 })).toMatchObject({ durableOperations: 0 });
  });

  test('has more write units if its record is larger, it failed, or it was held', () => {
    const units = (changes: Partial<ExecutionRecord>, bytes = 900) =>
      billedOf(changes, { bytes })?.writeUnits;
    expect(units({})).toBe(9);
    expect(units({}, 1_025)).toBe(10); // only its last write is that large
    expect(units({ inputUnits: 4 })).toBe(15);
    expect(units({ status: 'failed' })).toBe(12);
    expect(units({ releasedAt: STARTED })).toBe(14);
    expect(units({ trigger: { nodeId: 'start', type: 'scheduleTrigger' } })).toBe(10);
    expect(units({ ...inline, writes: 0 })).toBe(3);
    expect(units({ ...inline, writes: 0 }, 3_000)).toBe(5);
    const { writes: _writes, ...twice } = aRecord(inline);
    expect(usageOf(twice, measured)?.billed.writeUnits).toBe(4);
    expect(usageOf({ ...twice, status: 'failed' }, measured)?.billed.writeUnits).toBe(8);
  });

  test('has a request, a write of its list and an invocation for each answer that it waited for', () => {
    const without = billedOf({});
    const asked = billedOf({ nodes: [aNode({ callbacks: ['a', 'b'] })] });
    expect(asked).toMatchObject({
      requests: 3,
      invocations: (without?.invocations ?? 0) + 2,
      writeUnits: (without?.writeUnits ?? 0) + 8,
    });
  });

  test('has an event and no log of it with an event bus', () => {
    expect(billedOf({}, { hasBus: true })).toMatchObject({ events: 1, logBytes: 2_000, writeUnits: 10 });
    expect(billedOf({})).toMatchObject({ events: 0, logBytes: 2_700 });
  });

  test('has no request to the gateway if a schedule started it', () => {
    expect(billedOf({ trigger: { nodeId: 'start', type: 'scheduleTrigger' } })).toMatchObject({
      requests: 0,
    });
    const byHand = { nodeId: 'start', type: 'scheduleTrigger', byHand: true } as const;
    expect(billedOf({ trigger: byHand })).toMatchObject({ requests: 1 });
  });

  test('adds up the tokens of its nodes, and what they say that others charge', () => {
    const usage = { inputTokens: 20, outputTokens: 5, questions: 1, microDollars: 135 };
    expect(
      usageOf(aRecord({ nodes: [aNode({ usage }), aNode({ usage }), aNode()] }), measured),
    ).toMatchObject({
      tokens: { inputTokens: 40, outputTokens: 10 },
      microDollars: 270,
    });
  });

  test('adds at most ten kinds of tokens', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`kind${at}Tokens`, 1]));
    const { tokens } = addUsage(aUsage({ tokens: many }), aUsage({ tokens: { otherTokens: 1 } }));
    expect(Object.keys(tokens)).not.toContain('otherTokens');
  });
});

describe('its cost', () => {
  test('is what was billed at the prices of the region, and what nodes report', () => {
    const usage = aUsage({ billed: { durableOperations: 2, logBytes: 1_000 }, microDollars: 100 });
    // A request, an invocation, four write units, two operations and a kilobyte of logs.
    expect(costOf(usage, 'us-east-1') * 1e6).toBeCloseTo(1 + 0.2 + 4 * 0.625 + 2 * 8 + 0.5 + 100);
    expect(costOf(usage, 'eu-central-1') * 1e6).toBeCloseTo(1 + 0.2 + 4 * 0.7625 + 2 * 8 + 0.63 + 100);
    expect(describeCost(usage, 'us-east-1')).toMatchObject({ dollars: 0.0001202, reportedDollars: 0.0001 });
  });

  test('says which prices of a region are not known, and are those of us-east-1', () => {
    expect(describePrices('us-east-1')).toEqual({ region: 'us-east-1', assumed: [] });
    expect(describePrices('eu-west-1').assumed).toEqual([
      'gatewayRequest',
      'lambdaRequest',
      'lambdaGigabyteSecond',
      'durableOperation',
      'durableGigabyte',
    ]);
    expect(describePrices('mars-1').assumed).toHaveLength(11);
  });

  test('is the same for a sum as for what is added', () => {
    const [one, other] = [aUsage({ microDollars: 7 }), aUsage({ billed: { readUnits: 3 } })];
    expect(costOf(addUsage(one, other), 'us-east-1')).toBeCloseTo(
      costOf(one, 'us-east-1') + costOf(other, 'us-east-1'),
      12,
    );
  });
});
