import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../../lib/app/config.ts';
import { BRIEF_DAYS } from '../../../lib/executions/record/blob-store.ts';
import type { BilledRun } from '../../../scripts/cost/billed-run.ts';
import {
  computeCost,
  computeExpressCost,
  computeMonthlyCost,
  computeStandardCost,
  totalOf,
} from '../../../scripts/cost/compute-cost.ts';
import { assumptions } from '../../../scripts/cost/prices.ts';

const aRun = (changes: Partial<BilledRun> = {}): BilledRun => ({
  title: 'a run',
  nodes: 3,
  effectfulNodes: 0,
  waitSeconds: 0,
  units: { writeUnits: 2, readUnits: 0.5 },
  withBus: { writeUnits: 4, readUnits: 0.5 },
  stored: { executions: 1_000, deliveries: 0, blobs: 0, blobPuts: 0, blobGets: 0 },
  background: null,
  ...changes,
});

const durable = aRun({
  nodes: 5,
  effectfulNodes: 5,
  units: { writeUnits: 9, readUnits: 2.5 },
  withBus: { writeUnits: 13, readUnits: 2.5 },
  background: { invocations: 1, operations: 6, bytes: 4_000 },
});

/** Dollars of a million runs, to a hundredth of a cent. */
const inMillions = (cost: object): object =>
  Object.fromEntries(
    Object.entries(cost).map(([part, dollars]) => [part, Number((dollars * 1e6).toFixed(4))]),
  );

/** Dollars of a second of a function. */
const LAMBDA_SECOND = (1_769 / 1_024) * 13.3334;

describe('a million runs cost', () => {
  test('one invocation each with a waiting caller', () => {
    expect(inMillions(computeCost(aRun(), false))).toEqual({
      gateway: 1,
      lambda: 0.4303, // 0.2 + 10 ms
      durable: 0,
      dynamodb: 1.3125, // 2 × 0.625 + 0.5 × 0.125
      bucket: 0,
      logs: 0.85, // 1.7 kB
      events: 0,
    });
  });

  test('the operations and checkpoint writes with the durable engine', () => {
    expect(inMillions(computeCost(durable, false))).toEqual({
      gateway: 1,
      lambda: Number((0.4 + 0.21 * LAMBDA_SECOND).toFixed(4)), // 10 ms, and 50 around five times 30
      durable: 49, // 6 × 8, and 4 GB at 0.25
      bucket: 0,
      dynamodb: 5.9375, // 9 × 0.625 + 2.5 × 0.125
      logs: 1.35, // 2.7 kB
      events: 0,
    });
  });

  test('the event and its writes with an event bus, but not its log line', () => {
    const [without, withBus] = [computeCost(durable, false), computeCost(durable, true)];
    expect(inMillions(withBus)).toEqual({ ...inMillions(without), dynamodb: 8.4375, logs: 1, events: 1 });
    expect((totalOf(withBus) - totalOf(without)) * 1e6).toBeCloseTo(4 * 0.625 + 1 - 0.35);
  });

  test('the time of each invocation in the background, and less without checkpoints', () => {
    const lambdaOf = (invocations: number, operations: number): number =>
      computeCost(aRun({ background: { invocations, operations, bytes: 0 } }), false).lambda * 1e6;
    expect(lambdaOf(1, 0)).toBeCloseTo(0.4 + 0.02 * LAMBDA_SECOND);
    expect(lambdaOf(1, 1)).toBeCloseTo(0.4 + 0.02 * LAMBDA_SECOND);
    expect(lambdaOf(2, 2)).toBeCloseTo(0.6 + 0.11 * LAMBDA_SECOND);
  });
});

describe('on Step Functions', () => {
  test('Standard bills one transition more than there are states', () => {
    expect((computeStandardCost(durable) ?? 0) * 1e6).toBeCloseTo(1 + 6 * 25);
  });

  test('Standard cannot answer a waiting caller', () => {
    expect(computeStandardCost(aRun())).toBeNull();
  });

  test.each<[string, Partial<BilledRun>, number]>([
    ['nothing but CPU time', {}, 0.1],
    ['90 ms', { effectfulNodes: 3 }, 0.1],
    ['120 ms', { effectfulNodes: 4 }, 0.2],
    ['a minute of waiting', { waitSeconds: 60 }, 60],
    ['a minute and 30 ms', { waitSeconds: 60, effectfulNodes: 1 }, 60.1],
  ])('Express bills %s in started tenths of a second, a sixteenth of a GB each', (_, changes, seconds) => {
    expect(computeExpressCost(aRun(changes)) * 1e6).toBeCloseTo(1 + 1 + (seconds / 16) * 16.67);
  });
});

describe('a month costs', () => {
  test('the runs, their logs and records, and nothing for what they lack', () => {
    const month = computeMonthlyCost(aRun(), 1);
    const runs = 30 * 86_400;
    expect(month.gateway).toBeCloseTo(runs / 1e6);
    expect(month.tables).toBeCloseTo(((32 * 86_400 * 1_000) / 1e9) * 0.25);
    expect(month.recovery).toBeCloseTo(((32 * 86_400 * 1_000) / 1e9) * 0.2);
    // 1.7 kB each: half a dollar to take a gigabyte, and 3 cents to keep 15 % of it.
    expect(month.logs).toBeCloseTo(((runs * 1_700) / 1e9) * (0.5 + 0.15 * 0.03));
    expect([month.durable, month.bucket]).toEqual([0, 0]);
  });

  test('two requests for each object, and its bytes for 34 days', () => {
    const stored = { executions: 0, deliveries: 0, blobs: 50_000, blobPuts: 1, blobGets: 1 };
    const day = 100 * 86_400;
    const { bucket, tables } = computeMonthlyCost(aRun({ stored }), 100);
    expect(bucket).toBeCloseTo(((day * 34 * 50_000) / 1e9) * 0.023 + (30 * day * 0.0054) / 1_000);
    expect(tables).toBe(0);
  });

  test('ten times as much for ten times the rate', () => {
    const [one, ten] = [1, 10].map((rate) => computeMonthlyCost(durable, rate));
    for (const part of ['gateway', 'lambda', 'durable', 'dynamodb', 'logs', 'tables', 'recovery'] as const)
      expect(ten?.[part]).toBeCloseTo((one?.[part] ?? 0) * 10);
  });
});

test('records, objects and logs live as long as the calculation assumes', () => {
  const file = readFileSync(new URL('../../../serverless.yml', import.meta.url), 'utf8');
  const { provider } = parse(file, { logLevel: 'silent', merge: true });
  expect(assumptions.logDays.value).toBe(provider.logRetentionInDays);
  expect(assumptions.blobDays.value).toBe(BRIEF_DAYS + readConfig({ STAGE: 'test' }).retentionDays);
  expect(assumptions.tableDays.value).toBe(readConfig({ STAGE: 'test' }).retentionDays + 2);
});

test('the functions that run workflows have the memory that the calculation assumes', () => {
  const template = readFileSync(new URL('../../../serverless.yml', import.meta.url), 'utf8');
  const { functions } = parse(template, { logLevel: 'silent', merge: true });
  const sizes = ['webhook', 'runDurable', 'runExpress'].map((name) => functions[name].memorySize);
  expect(sizes).toEqual(Array(3).fill(assumptions.functionMegabytes.value));
});
