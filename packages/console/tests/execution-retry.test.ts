import { describe, expect, test } from '@jest/globals';
import { ownRuns, toMarks } from '../src/views/execution/graph-marks.ts';
import type { NodeRun } from '../src/views/execution/node-runs.ts';
import {
  deriveEffects,
  findRecordedInput,
  type Purity,
  type RunAgain,
  readEditedFields,
} from '../src/views/execution/retry-input.ts';

const aRun = (nodeId: string, more: Partial<NodeRun> = {}): NodeRun => ({
  nodeId,
  type: 'httpRequest',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: '2026-11-26T09:00:00.000Z',
  durationMs: 5,
  ...more,
});

describe('the recorded input of a trigger', () => {
  test.each([
    [{ body: 1 }, { input: { body: 1 } }],
    [null, {}],
    [null, { input: { $bytes: 9_000, $start: '{"body":' } }],
    [null, { input: [1] }],
    [null, { input: { body: 1 }, within: 'each/0/0' }],
  ])('is %j of %j', (input, more) => {
    expect(findRecordedInput([aRun('request', more as Partial<NodeRun>)], 'request')).toEqual(input);
  });
});

describe('an edited input', () => {
  const original = { body: { total: 12 }, headers: { host: 'a' } };
  const read = (edited: unknown) => readEditedFields(JSON.stringify(edited), original);

  test('replaces the fields that differ, as a whole', () => {
    expect(read({ ...original, body: { total: 120 } }).fields).toEqual({ body: { total: 120 } });
    expect(read({ ...original, more: 1 }).fields).toEqual({ more: 1 });
    expect(read(original).fields).toEqual({});
  });

  test('is sent as it is if the record has none', () => {
    expect(readEditedFields('{"body":1}', null).fields).toEqual({ body: 1 });
  });

  test.each([
    ['not JSON', '{'],
    ['must be a JSON object', '[]'],
    ['must be a JSON object', 'null'],
    ['"headers" can\'t be removed', '{"body":1}'],
  ])('is refused: %s', (problem, text) => {
    const { fields, problem: found } = readEditedFields(text, original);
    expect([fields, found]).toEqual([null, expect.stringContaining(problem)]);
  });
});

describe('the effects of a retry', () => {
  const definition = {
    nodes: [
      { id: 'request', type: 'webhookTrigger' },
      { id: 'look', type: 'set' },
      { id: 'book', type: 'httpRequest' },
      { id: 'each', type: 'forEach' },
      { id: 'mail', type: 'email' },
      { id: 'odd', type: 'custom' },
      { id: 'aside', type: 'httpRequest' },
      { id: 'off', type: 'httpRequest', disabled: true },
    ],
    connections: [
      ...['look', 'aside'].map((targetNodeId) => ({ sourceNodeId: 'request', targetNodeId })),
      { sourceNodeId: 'look', targetNodeId: 'book' },
      ...['look', 'each', 'off'].map((targetNodeId) => ({ sourceNodeId: 'book', targetNodeId })),
      ...['mail', 'odd'].map((targetNodeId) => ({ sourceNodeId: 'each', targetNodeId })),
    ],
  };
  const types: Readonly<Record<string, Purity>> = {
    webhookTrigger: { kind: 'trigger', pure: true },
    set: { kind: 'action', pure: true, control: null },
    httpRequest: { kind: 'action', pure: false, control: null },
    email: { kind: 'action', pure: 'byParameters', control: null },
    forEach: { kind: 'action', pure: false, control: { suspends: false } },
  };
  const derive = (again: RunAgain, runs: readonly NodeRun[] = []) =>
    deriveEffects(definition, runs, again, (type) => types[type] ?? null).map(
      ({ nodeId, runsAgain, isUnsure }) => [nodeId, runsAgain, isUnsure],
    );

  test('are those of the nodes that follow, that are neither pure nor disabled', () => {
    expect(derive({ from: 'request' }).map(([nodeId]) => nodeId)).toEqual(['book', 'mail', 'odd', 'aside']);
    expect(derive({ from: 'look' }).map(([nodeId]) => nodeId)).toEqual(['book', 'mail', 'odd']);
    expect(derive({ from: 'aside' }).map(([nodeId]) => nodeId)).toEqual(['aside']);
  });

  test('are unsure if they depend on parameters, or the type is not known', () => {
    expect(derive({ from: 'each' })).toEqual([
      ['mail', 0, true],
      ['odd', 0, true],
    ]);
  });

  test('count how often a node has run', () => {
    const runs = [aRun('aside'), aRun('aside', { iteration: 1 }), aRun('aside', { status: 'skipped' })];
    expect(derive({ from: 'aside' }, runs)).toEqual([['aside', 2, false]]);
  });

  test('of failed items are those of their bodies that did not succeed, and of what follows', () => {
    const mail = (item: number, status: NodeRun['status']) =>
      aRun('mail', { type: 'email', within: `each/0/${item}`, status });
    const each = aRun('each', { type: 'forEach', failedItems: { count: 1, indexes: [1] } });
    const runs = [aRun('book'), aRun('aside'), each, mail(0, 'succeeded'), mail(1, 'failed')];
    expect(derive({ only: 'failedItems', from: 'request' }, runs)).toEqual([
      ['mail', 1, true],
      ['odd', 0, true],
    ]);
  });
});

describe('the marks of the graph', () => {
  const now = Date.parse('2026-11-26T09:00:07.000Z');
  const inner = aRun('book', { within: 'call/0/0', status: 'failed' });
  const nodes = [{ id: 'book' }];

  test('leave out the nodes of other workflows', () => {
    const runs = [aRun('call', { type: 'subworkflow' }), inner, aRun('book')];
    expect(ownRuns(runs)).toEqual([runs[0], runs[2]]);
    expect(toMarks(nodes, runs, now).book).toEqual({ status: 'succeeded', text: '5 ms' });
  });

  test('count runs, and name attempts', () => {
    const runs = [aRun('each', { type: 'forEach' }), inner, { ...inner, within: 'each/0/1' }];
    expect(toMarks(nodes, [aRun('call', { type: 'forEach' }), ...runs], now).book).toEqual({
      status: 'failed',
      text: '2 runs, 2 failed',
    });
    expect(toMarks(nodes, [aRun('book', { attempts: 3 })], now).book?.text).toBe('5 ms · 3 attempts');
  });

  test('say which nodes have no run', () => {
    expect(toMarks(nodes, [aRun('call')], now)).toEqual({ book: { text: 'no run' } });
  });

  test('show the time of what runs, and none of what was skipped', () => {
    expect(toMarks(nodes, [aRun('book', { status: 'waiting' })], now).book?.text).toBe('7 s');
    expect(toMarks(nodes, [aRun('book', { status: 'skipped' })], now).book?.text).toBe('');
  });
});
