import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '../../../lib/engine/result.ts';
import {
  compareExecutions,
  compareWith,
  type ExecutionComparison,
} from '../../../lib/executions/explain/compare-executions.ts';
import type { ExplainedNode } from '../../../lib/executions/explain/explain-execution.ts';
import type { ExecutionRecord } from '../../../lib/executions/record/execution-store.ts';
import { type AFlow, aBackgroundService, aFlow } from '../../support/a-background-service.ts';

const condition = (text: string): JsonObject => ({ condition: text });

const branch: AFlow = {
  nodes: [
    { id: 'pick', type: 'set', parameters: { values: { total: '{{ body.total }}' } } },
    { id: 'big', type: 'if', parameters: condition('{{ total > 100 }}') },
    { id: 'ship', type: 'noOp' },
    { id: 'keep', type: 'noOp' },
    { id: 'other', type: 'set', parameters: { values: { n: 1 }, keepInput: false } },
  ],
  edges: ['start -> pick', 'pick -> big', 'big.true -> ship', 'big.false -> keep', 'start -> other'],
};

/** Runs a flow once for each body, as `e-0`, `e-1`, …. */
const run = async (flow: Partial<AFlow>, bodies: readonly JsonValue[]) => {
  const service = await aBackgroundService();
  await service.put(aFlow({ nodes: [], edges: [], ...flow }));
  for (const [at, body] of bodies.entries()) {
    await service.accept(`e-${at}`, { input: { body } });
    await service.run(`e-${at}`, { saboteur: { isFatal: () => false } });
  }
  const compare = (to: string, from: string | null) =>
    compareWith(to, from, { ...service.parts, clock: service.parts.services.clock });
  return { ...service, compare };
};

const nodeOf = ({ nodes }: ExecutionComparison, id: string) => nodes.find(({ nodeId }) => nodeId === id);

test('shows the other branch with both reasons, other data by pointer, and what is the same', async () => {
  const { compare } = await run(branch, [{ total: 120 }, { total: 99.5 }]);
  const comparison = await compare('e-1', 'e-0');
  expect(comparison).toMatchObject({
    from: { executionId: 'e-0', workflowId: 'order', workflowVersion: 1, status: 'succeeded', hasData: true },
    to: { executionId: 'e-1', hasData: true },
    counts: { same: 0, different: 6 },
    nodesOmitted: 0,
  });
  expect(nodeOf(comparison, 'other')).toEqual({
    nodeId: 'other',
    type: 'set',
    iteration: 0,
    differs: ['data'],
    from: expect.anything(),
    to: expect.anything(),
    changes: [{ path: '/input/body/total', from: 120, to: 99.5 }],
  });
  expect(nodeOf(comparison, 'big')).toMatchObject({
    differs: ['branch', 'data'],
    from: { outputs: ['true'], why: 'gave true: total 120 > 100' },
    to: { outputs: ['false'], why: 'gave false: total 99.5 > 100' },
    changes: [{ path: '/input/total', from: 120, to: 99.5 }],
  });
  expect(nodeOf(comparison, 'ship')).toMatchObject({
    differs: ['status'],
    from: { status: 'succeeded' },
    to: { status: 'skipped', why: 'skipped, since `big` gave false: total 99.5 > 100' },
  });
});

test('the same input gives the same', async () => {
  const { compare } = await run(branch, [{ total: 120 }, { total: 120 }]);
  expect(await compare('e-1', 'e-0')).toMatchObject({ counts: { same: 6, different: 0 } });
  expect(await compare('e-1', 'e-1')).toMatchObject({ counts: { same: 6, different: 0 } });
});

test('without recorded data, branches are compared all the same', async () => {
  const { compare } = await run({ ...branch, settings: { recordData: 'onFailure' } }, [
    { total: 1 },
    { total: 'x' },
    { total: 200 },
  ]);
  const toFailed = await compare('e-1', null);
  expect(toFailed).toMatchObject({ from: { executionId: 'e-2', hasData: false }, to: { hasData: true } });
  expect(nodeOf(toFailed, 'big')).toMatchObject({
    differs: ['status'],
    from: { why: 'gave true: total (not recorded) > 100' },
    to: { status: 'failed', failure: { message: expect.any(String) } },
  });
  expect(nodeOf(toFailed, 'ship')).toMatchObject({ differs: ['missing'], to: null });
  expect(nodeOf(await compare('e-2', 'e-0'), 'big')).toMatchObject({
    differs: ['branch'],
    from: { outputs: ['false'] },
    to: { outputs: ['true'] },
  });
});

describe('refuses', () => {
  test('an unknown execution, and one of another workflow', async () => {
    const { compare, put, accept } = await run(branch, [{ total: 1 }]);
    await put(aFlow({ ...branch, id: 'other' }));
    await accept('e-9', { workflowId: 'other' });
    for (const [to, from] of [
      ['none', 'e-0'],
      ['e-0', 'none'],
      ['../e-0', null],
    ] as const)
      await expect(compare(to, from)).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND', status: 404 });
    await expect(compare('e-0', 'e-9')).rejects.toMatchObject({
      code: 'EXECUTIONS_NOT_COMPARABLE',
      status: 422,
    });
  });

  test('a default if no other execution has succeeded', async () => {
    const { compare } = await run(branch, [{ total: 1 }, { total: 'x' }]);
    expect((await compare('e-1', null)).from.executionId).toBe('e-0');
    await expect(compare('e-0', null)).rejects.toMatchObject({ code: 'SUCCESS_NOT_FOUND', status: 404 });
  });
});

const aNode = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  nodeId: 'n',
  type: 'noOp',
  status: 'succeeded',
  iteration: 0,
  attempts: 1,
  startedAt: 0,
  durationMs: 100,
  ...changes,
});

const explained = (nodes: readonly NodeRecord[]) => ({
  record: {
    executionId: 'e',
    workflowId: 'w',
    workflowVersion: 1,
    mode: 'durable',
    status: 'succeeded',
    startedAt: 0,
    endedAt: 1,
    held: null,
    nodes,
  } as unknown as ExecutionRecord,
  nodes: nodes.map((record): ExplainedNode => ({ record, why: null, delivered: null })),
  reasonsOmitted: 0,
});

const compareNodes = (from: readonly NodeRecord[], to: readonly NodeRecord[]) =>
  compareExecutions(explained(from), explained(to));
const compareNode = (from: Partial<NodeRecord>, to: Partial<NodeRecord>) =>
  compareNodes([aNode(from)], [aNode(to)]).nodes[0];

test.each([
  [100, 200, true],
  [100, 199, false],
  [1_000, 1_499, false],
  [1_000, 1_500, true],
  [500, 100, false],
])('%d ms before, %d ms now: slower is %s', (from, to, isSlower) => {
  const { differs } = compareNode({ durationMs: from }, { durationMs: to }) ?? {};
  expect(differs).toEqual(isSlower ? ['slower'] : []);
});

test('an open node is not slower', () => {
  expect(compareNode({}, { status: 'running', durationMs: 9_000 })?.differs).toEqual(['status']);
});

test('values that only one has are added or removed; keys are escaped, lists are compared item by item', () => {
  const from = { input: { 'a/b': { '~c': 1 }, list: [1, 2, 3], gone: null, kind: [1] } };
  const to = { input: { 'a/b': { '~c': 2 }, list: [1, 5], kind: { 0: 1 }, new: false } };
  expect(compareNode(from, to)?.changes).toEqual([
    { path: '/input/a~1b/~0c', from: 1, to: 2 },
    { path: '/input/list/1', from: 2, to: 5 },
    { path: '/input/list/2', from: 3 },
    { path: '/input/gone', from: null },
    { path: '/input/kind', from: [1], to: { 0: 1 } },
    { path: '/input/new', to: false },
  ]);
});

test('what a node passes on is listed once', () => {
  const from = { input: { a: 1, b: 1 }, outputs: { main: { a: 1, b: 1, c: 1 } } };
  const to = { input: { a: 2, b: 1 }, outputs: { main: { a: 2, b: 2, c: 1 } } };
  expect(compareNode(from, to)?.changes).toEqual([
    { path: '/input/a', from: 1, to: 2 },
    { path: '/outputs/main/b', from: 1, to: 2 },
  ]);
});

test('a large value is compared as a whole, by its recorded start', () => {
  const view = ($start: string) => ({ input: { $bytes: 9_000, $start } });
  expect(compareNode(view('{"a":1'), view('{"a":1'))?.differs).toEqual([]);
  expect(compareNode(view('{"a":1'), view('{"a":2'))?.changes).toEqual([
    { path: '/input', from: view('{"a":1').input, to: view('{"a":2').input },
  ]);
});

describe('a value of which only the start is recorded', () => {
  const view = ($start: string, $bytes = 9_000) => ({ input: { $bytes, $start } });

  test('is compared in what the start has in full', () => {
    const [from, to] = [view('{"tier":"vip","note":"yyy'), view('{"tier":"basic","list":[1,2')];
    expect(compareNode(from, to)).toMatchObject({
      isStart: true,
      changes: [{ path: '/input/tier', from: 'vip', to: 'basic' }],
    });
  });

  test('is compared with a whole value, without what the start may lack', () => {
    const whole = { input: { body: { tier: 'basic', note: 'n', list: [1] }, gone: 1 } };
    const cut = view('{"body":{"tier":"vip","id":7,"note":"yyy');
    expect(compareNode(cut, whole)?.changes).toEqual([
      { path: '/input/body/tier', from: 'vip', to: 'basic' },
      { path: '/input/body/id', from: 7 },
    ]);
    expect(compareNode(whole, cut)?.changes?.map(({ path }) => path)).toEqual([
      '/input/body/tier',
      '/input/body/id',
    ]);
    const closed = view('{"body":{"tier":"basic"},"note":"yyy');
    expect(compareNode(closed, whole)?.changes?.map(({ path }) => path)).toEqual([
      '/input/body/note',
      '/input/body/list',
    ]);
  });

  test('differs as a whole if only its size, or a text that the start cuts, differs', () => {
    const [from, to] = [view(`{"note":"${'y'.repeat(300)}`), view(`{"note":"${'y'.repeat(200)}zz`)];
    expect(compareNode(from, to)?.changes).toEqual([
      {
        path: '/input',
        from: { $bytes: 9_000, $at: 189, $part: 'y'.repeat(60) },
        to: { $bytes: 9_000, $at: 189, $part: `${'y'.repeat(20)}zz` },
      },
    ]);
    expect(compareNode(view('{"a":1', 9_000), view('{"a":1', 9_001))?.changes).toHaveLength(1);
  });

  test('is marked even if nothing that is known differs', () => {
    const { differs, isStart } = compareNode(view('{"a":1,'), view('{"a":1,')) ?? {};
    expect([differs, isStart]).toEqual([[], true]);
    expect(compareNode({ input: { a: 1 } }, { input: { a: 1 } })).not.toHaveProperty('isStart');
    expect(compareNode(view('{"a":1,'), {})).not.toHaveProperty('isStart');
  });

  test('is compared without the times and traces of requests', () => {
    const request = (at: string) =>
      view(`{"triggeredAt":"${at}","headers":{"traceparent":"${at}","host":"h"},"body":{"n":1,"text":"y`);
    expect(
      compareNode(request('1'), view('{"triggeredAt":"1","headers":{"host":"h"},"body":{"n":2,')),
    ).toMatchObject({
      changes: [{ path: '/input/body/n', from: 1, to: 2 }],
    });
  });

  test('is never read beyond its bounds if it is data that only looks like one', () => {
    const odd = { input: { $start: '{"a" "b":}]{"' } };
    expect(compareNode(odd, { input: { $start: '{"a" "b":}]{"' } })?.differs).toEqual([]);
    expect(compareNode(odd, { input: { a: 1 } })?.differs).toEqual(['data']);
  });
});

test('of long texts that begin alike, the change has the part where they begin to differ', () => {
  const text = (end: string) => ({ input: { note: `${'y'.repeat(1_190)}${end}`, short: 'n' } });
  expect(compareNode(text('zzz'), text('yyyyy'))?.changes).toEqual([
    {
      path: '/input/note',
      from: { $bytes: 1_195, $at: 1_170, $part: `${'y'.repeat(20)}zzz` },
      to: { $bytes: 1_197, $at: 1_170, $part: 'y'.repeat(25) },
    },
  ]);
  const [short, long] = [{ input: { note: 'y'.repeat(150) } }, { input: { note: 'y'.repeat(400) } }];
  expect(compareNode(short, long)?.changes).toEqual([
    {
      path: '/input/note',
      from: 'y'.repeat(150),
      to: { $bytes: 402, $at: 130, $part: 'y'.repeat(60) },
    },
  ]);
});

test('what differs between any two requests is not compared', () => {
  const output = (at: string, event: string) => ({
    triggeredAt: at,
    headers: { 'x-amzn-trace-id': at, traceparent: at, 'x-github-event': event },
    body: { triggeredAt: event },
  });
  const from = { input: output('1', 'push'), outputs: { main: output('1', 'push') } };
  expect(
    compareNode(from, { input: output('2', 'push'), outputs: { main: output('2', 'push') } })?.differs,
  ).toEqual([]);
  expect(compareNode(from, { input: output('2', 'star') })?.changes?.map(({ path }) => path)).toEqual([
    '/input/headers/x-github-event',
    '/input/body/triggeredAt',
  ]);
  const large = (at: string) => ({ input: { $bytes: 9_000, $start: `{"triggeredAt":"${at}","body":{` } });
  expect(compareNode(large('1'), large('2'))?.differs).toEqual([]);
});

test('at most 20 changes are listed, with long values cut', () => {
  const values = (text: string) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, text]));
  const node = compareNode({ input: values('x'.repeat(300)) }, { input: values('y') });
  expect(node?.changes).toHaveLength(20);
  expect(node?.changesOmitted).toBe(30);
  expect(node?.changes?.[0]).toEqual({
    path: '/input/k0',
    from: { $bytes: 302, $start: `"${'x'.repeat(99)}` },
    to: 'y',
  });
});

test('another failure of the same node is a difference', () => {
  const failed = (message: string) =>
    ({ status: 'failed', failure: { nodeId: 'n', name: 'E', message } }) as const;
  expect(compareNode(failed('a'), failed('b'))).toMatchObject({
    differs: ['failure'],
    from: { failure: { name: 'E', message: 'a' } },
    to: { failure: { name: 'E', message: 'b' } },
  });
});

test('of thousands of node runs, those that differ are listed, up to a length', () => {
  const many = (count: number, changes: (at: number) => Partial<NodeRecord>) =>
    Array.from({ length: count }, (_, iteration) => aNode({ iteration, ...changes(iteration) }));
  const few = compareNodes(
    many(5_000, () => ({})),
    many(5_000, (at) => (at === 7 ? { status: 'failed' } : {})),
  );
  expect(few).toMatchObject({ counts: { same: 4_999, different: 1 }, nodesOmitted: 0 });
  expect(few.nodes.map(({ iteration }) => iteration)).toEqual([7]);
  const data = (text: string) => () => ({ input: { text: text.repeat(500) } });
  const large = compareNodes(many(15_000, data('x')), many(15_000, data('y')));
  expect(large.nodesOmitted).toBeGreaterThan(10_000);
  expect(JSON.stringify(large).length).toBeLessThan(600_000);
});

test('deeply nested and odd records are compared without an error', () => {
  const deep = (end: number): JsonValue => JSON.parse(`${'['.repeat(5_000)}${end}${']'.repeat(5_000)}`);
  expect(compareNode({ input: deep(1) }, { input: deep(2) })?.changes).toEqual([
    { path: `/input${'/0'.repeat(5_000)}`, from: 1, to: 2 },
  ]);
  const odd = JSON.parse('{"__proto__":{"a":1},"constructor":1}');
  expect(compareNode({ input: odd, outputs: 'text' }, { input: {}, outputs: [1] })?.changes).toHaveLength(3);
});

test('a secret is redacted on both sides', async () => {
  const flow: AFlow = {
    nodes: [{ id: 'check', type: 'if', parameters: condition("{{ body.password = 'hunter2-first' }}") }],
    edges: ['start -> check'],
  };
  const { compare } = await run(flow, [
    { password: 'hunter2-first', note: 'token=hunter2-token' },
    { password: 'hunter2-second', note: 'token=hunter2-other' },
  ]);
  const comparison = await compare('e-1', 'e-0');
  expect(nodeOf(comparison, 'check')).toMatchObject({ differs: ['branch'] });
  expect(JSON.stringify(comparison)).not.toContain('hunter2');
});
