import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeValue } from '../src/parts/expression/describe-value.ts';
import { evaluateOnSample } from '../src/parts/expression/evaluate-sample.ts';
import {
  changeNode,
  type EditedDefinition,
  renameNode,
} from '../src/views/editor/definition/definition-edits.ts';
import {
  countRows,
  findTables,
  type Path,
  rowsOf,
  searchData,
  toExpression,
  UNSEEN,
} from '../src/views/editor/trial/data-paths.ts';
import { fromExecution, fromRequest, fromText } from '../src/views/editor/trial/recorded-data.ts';
import {
  addData,
  findStale,
  findStamps,
  isDeliveryStale,
  renameData,
} from '../src/views/editor/trial/stale-data.ts';
import {
  type DeclaredTypes,
  type DraftData,
  findInput,
  type NewData,
  toGraph,
} from '../src/views/editor/trial/trial-data.ts';
import {
  findEffects,
  findOrder,
  isKept,
  toSample,
  withExample,
} from '../src/views/editor/trial/trial-plan.ts';

const types: DeclaredTypes = new Map([
  [
    'webhookTrigger',
    {
      kind: 'trigger',
      pure: true,
      example: { parameters: {}, output: { triggerType: 'webhook', body: {} } },
    },
  ],
  ['set', { kind: 'action', pure: true }],
  ['httpRequest', { kind: 'action', pure: false }],
  ['code', { kind: 'action', pure: 'byParameters' as const }],
  ['forEach', { kind: 'action', pure: true, control: { suspends: false, bodyOutput: 'each' } }],
  ['approval', { kind: 'action', control: { suspends: true, bodyOutput: null } }],
]);

const graphOf = (definition: EditedDefinition) => toGraph(definition, types);

const draw = (nodes: Readonly<Record<string, string>>, ...edges: readonly string[]): EditedDefinition => ({
  id: 'w',
  nodes: Object.entries(nodes).map(([id, type]) => ({ id, type })),
  connections: edges.map((edge) => {
    const [source = '', targetNodeId = ''] = edge.split('>');
    const [sourceNodeId = '', sourceOutput = 'main'] = source.split(':');
    return { sourceNodeId, sourceOutput, targetNodeId };
  }),
});

const made = (id: string, main: JsonObject, status = 'succeeded'): NewData => ({
  from: 'trial',
  id,
  at: '2026-01-01T00:00:00.000Z',
  outputs: { main },
  isPinned: false,
  isCut: false,
  run: { status, failure: null, attempts: 1, durationMs: 1, log: [], logOmitted: 0 },
});

const AT = '2026-01-01T00:00:00.000Z';

const bodied = draw(
  { hook: 'webhookTrigger', each: 'forEach', a: 'set', b: 'set', end: 'set' },
  'hook>each',
  'each:each>a',
  'a>b',
  'each>end',
);

const shop = draw(
  { hook: 'webhookTrigger', check: 'set', call: 'httpRequest', answer: 'set', other: 'set' },
  'hook>check',
  'check>call',
  'call>answer',
  'hook>other',
);
const shopData = addData(
  graphOf(shop),
  {},
  {
    hook: made('t1', { body: { name: 'Ann' } }),
    check: made('t2', { ok: true }),
    call: made('t3', { status: 200 }),
    answer: made('t4', { sent: true }),
    other: made('t5', {}),
  },
);

const staleOf = (definition: EditedDefinition, data: DraftData = shopData) => [
  ...findStale(graphOf(definition), data),
];

describe('data turns stale', () => {
  test('with a change of the node, and with it the data of all nodes behind it', () => {
    expect(staleOf(shop)).toEqual([]);
    expect(staleOf(changeNode('check', { parameters: { values: {} } })(shop))).toEqual([
      'check',
      'call',
      'answer',
    ]);
  });

  test('not with its place, name or notes', () => {
    const position = { x: 1, y: 2 };
    expect(staleOf(changeNode('hook', { position, name: 'Hook', notes: 'x' })(shop))).toEqual([]);
  });

  test('with other data before it, and with another connection', () => {
    const again = addData(graphOf(shop), shopData, { check: made('t6', { ok: false }) });
    expect(staleOf(shop, again)).toEqual(['call', 'answer']);
    const { connections = [] } = shop;
    expect(staleOf({ ...shop, connections: connections.slice(0, 2) })).toEqual(['answer', 'other']);
  });

  test('within a loop, too, and around it', () => {
    const loop = draw(
      { hook: 'webhookTrigger', one: 'set', two: 'set', end: 'set' },
      'hook>one',
      'one>two',
      'two>one',
      'two>end',
    );
    const data = addData(
      graphOf(loop),
      {},
      {
        hook: made('t1', {}),
        one: made('t2', {}),
        two: made('t3', {}),
        end: made('t4', {}),
      },
    );
    expect(staleOf(loop, data)).toEqual([]);
    expect(staleOf(changeNode('one', { parameters: { a: 1 } })(loop), data)).toEqual(['one', 'two', 'end']);
    expect(staleOf(changeNode('two', { parameters: { a: 1 } })(loop), data)).toContain('end');
    expect(staleOf(changeNode('end', { parameters: { a: 1 } })(loop), data)).toEqual(['end']);
  });

  test('with a change in its body, whose other nodes keep theirs', () => {
    const data = addData(
      graphOf(bodied),
      {},
      {
        hook: made('t1', {}),
        each: { ...made('t2', {}), outputs: { main: {}, each: { item: 1 } } },
        a: made('t2', {}),
        b: made('t2', {}),
        end: made('t3', {}),
      },
    );
    expect(staleOf(bodied, data)).toEqual([]);
    const change = { parameters: { x: 1 } };
    expect(staleOf(changeNode('b', change)(bodied), data)).toEqual(['each', 'b', 'end']);
    expect(staleOf(changeNode('each', change)(bodied), data)).toEqual(['each', 'a', 'b', 'end']);
    const [first, second, , last] = bodied.connections ?? [];
    const rewired = [first, second, { sourceNodeId: 'each', sourceOutput: 'each', targetNodeId: 'b' }, last];
    expect(staleOf({ ...bodied, connections: rewired as never }, data)).toEqual(['each', 'b', 'end']);

    const graph = graphOf(bodied);
    const [renamed] = [renameNode('each', 'every', () => [])(bodied)];
    const after = graphOf(renamed as EditedDefinition);
    const kept = renameData(data, { from: 'each', to: 'every', before: graph, after });
    expect(staleOf(after.definition as EditedDefinition, kept)).toEqual([]);
    const delivery = (after.into.get('a') ?? [])[0] as never;
    expect(isDeliveryStale(after, { data: kept, stamps: findStamps(after, kept) }, delivery)).toBe(false);
    expect(isDeliveryStale(after, { data: kept, stamps: new Map() }, delivery)).toBe(true);
  });

  test('not with a rename, after which it has the new id, too', () => {
    const after = renameNode('check', 'valid', () => [])(shop);
    const renamed = renameData(shopData, {
      from: 'check',
      to: 'valid',
      before: graphOf(shop),
      after: graphOf(after),
    });
    expect(renamed.valid?.outputs).toEqual({ main: { ok: true } });
    expect(staleOf(after, renamed)).toEqual([]);
    expect(renamed.check).toEqual(shopData.check);
  });
});

describe('data comes from', () => {
  const run = { attempts: 1, durationMs: 5 };

  test('an execution: the last run of each node, with its failure', () => {
    const failure = { name: 'TypeError', message: 'no name', nodeId: 'call' };
    const nodes = [
      { nodeId: 'hook', status: 'succeeded', outputs: { main: { n: 1 } }, ...run },
      { nodeId: 'loop', status: 'succeeded', outputs: { main: { n: 1 } }, ...run },
      { nodeId: 'loop', status: 'succeeded', outputs: { main: { n: 2 } }, ...run },
      { nodeId: 'large', status: 'succeeded', outputs: { $bytes: 9_000, $start: '{"main' }, ...run },
      { nodeId: 'call', status: 'failed', failure, ...run },
      { nodeId: 'after', status: 'skipped', ...run },
    ];
    const recorded = fromExecution({ executionId: 'e1', startedAt: AT, nodes }, graphOf(shop));
    expect(Object.keys(recorded)).toEqual(['hook', 'loop', 'large', 'call']);
    expect(recorded.loop).toMatchObject({ outputs: { main: { n: 2 } }, isCut: false });
    expect(recorded.large).toMatchObject({ outputs: {}, isCut: true });
    expect(recorded.call).toMatchObject({ outputs: {}, isCut: false, run: { status: 'failed', failure } });
  });

  test('one pass of a body: the one that failed, or else the last', () => {
    const row = (within: string, nodeId: string, n: number, status = 'succeeded') => ({
      nodeId,
      within,
      status,
      input: { item: n },
      ...run,
      ...(status === 'failed'
        ? { failure: { name: 'Error', message: 'no', nodeId } }
        : { outputs: { main: { n } } }),
    });
    const each = { nodeId: 'each', status: 'succeeded', outputs: { main: { results: [] } }, ...run };
    const take = (nodes: ReturnType<typeof row>[]) =>
      fromExecution({ executionId: 'e1', startedAt: AT, nodes: [each, ...nodes] }, graphOf(bodied));
    const [first, last] = [0, 1].map((pass) => [
      row(`each/0/${pass}`, 'a', pass),
      row(`each/0/${pass}`, 'b', pass),
    ]);
    expect(take([...(last ?? []), ...(first ?? [])])).toMatchObject({
      each: { outputs: { main: { results: [] }, each: { item: 0 } } },
      a: { outputs: { main: { n: 0 } } },
      b: { outputs: { main: { n: 0 } } },
    });
    const failed = [row('each/0/0', 'a', 0, 'failed'), ...(last ?? [])];
    const taken = take(failed);
    expect(taken).toMatchObject({
      each: { outputs: { each: { item: 0 } } },
      a: { run: { status: 'failed' } },
    });
    expect(taken.b).toBeUndefined();
    expect(Object.keys(take([row('each/0/0', 'a', 0, 'skipped')]))).toEqual(['each']);
    const later = row('each/0/0', 'b', 7);
    expect(take([row('each/0/0', 'a', 0), later]).each?.outputs.each).toEqual({ item: 0 });
    // Bodies within bodies count; runs of another workflow do not, whose nodes may have the same ids.
    const nested = [row('each/0/0', 'a', 1), row('each/0/0/b/0/0', 'c', 2), row('each/0/0/b/0/1', 'c', 3)];
    const inner = draw(
      { hook: 'webhookTrigger', each: 'forEach', a: 'set', b: 'forEach', c: 'set', sub: 'subworkflow' },
      'hook>each',
      'each:each>a',
      'a>b',
      'b:each>c',
      'hook>sub',
    );
    const others = [row('sub/0/0', 'c', 9), row('sub/0/0/each/0/0', 'a', 9)];
    const all = { executionId: 'e1', startedAt: AT, nodes: [each, ...nested, ...others] };
    const found = fromExecution(all, graphOf(inner));
    expect([found.a?.outputs, found.c?.outputs]).toEqual([{ main: { n: 1 } }, { main: { n: 3 } }]);
  });

  test('a request on record, as its trigger would emit it', () => {
    const request = {
      id: 'w.r1',
      workflowId: 'w',
      receivedAt: '2026-01-01T00:00:00.000Z',
      sender: '192.0.2.1',
      method: 'POST',
      path: '/orders',
      query: 'a=1',
      headers: { 'x-a': 'b' },
      missing: null,
    };
    expect(fromRequest({ ...request, body: '{"sku":"A-1"}' })).toMatchObject({
      outputs: {
        main: { body: { sku: 'A-1' }, queryParams: { a: '1' }, requestPath: '/api/webhook/w/orders' },
      },
      isCut: false,
    });
    expect(fromRequest({ ...request, body: 'plain', missing: 'The body is too large.' })).toMatchObject({
      outputs: { main: { body: 'plain' } },
      isCut: true,
    });
  });

  test('the example of the first trigger, whose schema describes the body, until a trigger has data', () => {
    const schema = {
      type: 'object',
      properties: {
        sku: { type: 'string', examples: ['A-1'] },
        count: { type: 'integer', minimum: 2 },
        tags: { type: 'array', items: { enum: ['new'] } },
      },
    };
    const drawn = changeNode('hook', { parameters: { schema } })(shop);
    expect(withExample(graphOf(drawn), {}, types).hook?.outputs).toEqual({
      main: { triggerType: 'webhook', body: { sku: 'A-1', count: 2, tags: ['new'] } },
    });
    expect(withExample(graphOf(drawn), shopData, types)).toBe(shopData);
  });
});

describe('a run', () => {
  test('goes in the order of the connections, to the node that is asked for', () => {
    expect(findOrder(graphOf(shop), types, null)).toEqual(['hook', 'check', 'call', 'answer', 'other']);
    expect(findOrder(graphOf(shop), types, 'call')).toEqual(['hook', 'check', 'call']);
    const joined = draw(
      { end: 'set', right: 'set', left: 'set', hook: 'webhookTrigger' },
      'hook>left',
      'hook>right',
      'right>end',
      'left>end',
    );
    expect(findOrder(graphOf(joined), types, null)).toEqual(['hook', 'left', 'right', 'end']);
    const { connections = [] } = joined;
    const loop = { ...joined, connections: [...connections, { sourceNodeId: 'end', targetNodeId: 'left' }] };
    expect(findOrder(graphOf(loop), types, null).toSorted()).toEqual(['end', 'hook', 'left', 'right']);
  });

  test('leaves the body of a node to the node', () => {
    const loop = draw(
      { hook: 'webhookTrigger', each: 'forEach', call: 'httpRequest', end: 'set' },
      'hook>each',
      'each:each>call',
      'each>end',
    );
    const graph = graphOf(loop);
    const order = findOrder(graph, types, null);
    expect(order).toEqual(['hook', 'each', 'end']);
    const data = addData(graph, {}, { hook: made('t1', {}) });
    expect(findEffects(graph, types, { data, stale: new Set(), order })).toEqual(['call']);
  });

  test('orders 2,000 nodes in a row', () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `n${index}`);
    const nodes = { ...Object.fromEntries(ids.map((id) => [id, 'set'])), n0: 'webhookTrigger' };
    const row = draw(nodes, ...ids.slice(1).map((id, index) => `n${index}>${id}`));
    expect(findOrder(graphOf(row), types, null)).toEqual(ids);
  });

  test('takes over what is pinned or fresh, and names what acts on the outside', () => {
    const graph = graphOf(changeNode('check', { parameters: { values: {} } })(shop));
    const order = findOrder(graph, types, null);
    const stale = findStale(graph, shopData);
    expect(order.filter((id) => isKept(shopData, stale, id))).toEqual(['hook', 'other']);
    expect(findEffects(graph, types, { data: shopData, stale, order })).toEqual(['call']);
    const pinned = { ...shopData, call: { ...shopData.call, isPinned: true } } as DraftData;
    expect(findEffects(graph, types, { data: pinned, stale, order })).toEqual([]);
    const failed = addData(graphOf(shop), shopData, { other: made('t9', {}, 'failed') });
    expect(isKept(failed, new Set(), 'other')).toBe(false);
  });
});

describe('a node', () => {
  test('receives what the connections deliver, and nothing from an output without data', () => {
    const split = draw({ if: 'set', yes: 'set', no: 'set' }, 'if:true>yes', 'if:false>no');
    const graph = graphOf(split);
    const data = addData(graph, {}, { if: fromText('true', { n: 1 }, '2026-01-01T00:00:00.000Z') });
    expect(findInput(graph, data, 'yes')).toEqual({ n: 1 });
    expect(findInput(graph, data, 'no')).toBeNull();
  });

  test('has a sample of its input, the nodes before it, the trigger and the variables', () => {
    const variables = { currency: 'EUR' };
    expect(toSample(graphOf(shop), types, { data: shopData, id: 'call', variables })).toEqual({
      ok: true,
      $nodes: { hook: { body: { name: 'Ann' } }, check: { ok: true } },
      $trigger: { body: { name: 'Ann' } },
      $vars: variables,
      $execution: expect.objectContaining({
        workflowId: 'w',
        trigger: { nodeId: 'hook', type: 'webhookTrigger' },
      }),
    });
    expect(toSample(graphOf(shop), types, { data: {}, id: 'call', variables })).toBeNull();
  });

  test('in a body, has a sample with the item of the innermost forEach, and what each body begins with', () => {
    const nodes = { hook: 'webhookTrigger', rows: 'forEach', cells: 'forEach', check: 'set', call: 'set' };
    const edges = ['hook>rows', 'rows:each>cells', 'cells:each>check', 'check>call'];
    const begun = (item: JsonObject[string]) => ({
      ...made('each', {}),
      ...{ outputs: { main: { results: [] }, each: { item, index: 0 } }, stamp: '' },
    });
    const data = { rows: begun([5]), cells: begun(5) };
    const sampleOf = (id: string) =>
      toSample(graphOf(draw(nodes, ...edges)), types, { data, id, variables: null });
    expect(sampleOf('call')).toMatchObject({
      $item: 5,
      $nodes: { rows: { item: [5] }, cells: { item: 5 } },
    });
    expect(sampleOf('cells')).toMatchObject({ $item: [5] });
    expect(sampleOf('rows')).toBeNull();
  });
});

describe('a field of data', () => {
  test.each<[string | null, Path, string | null]>([
    [null, ['body', 'items', 0, 'first name'], '{{ body.items[0].`first name` }}'],
    ['my-node', ['body'], '{{ $nodes.`my-node`.body }}'],
    ['check', [], '{{ $nodes.check }}'],
    [null, [], null],
    [null, ['a`b'], null],
  ])('of %s at %j is %s', (nodeId, path, expression) => {
    expect(toExpression(nodeId, path)).toBe(expression);
  });

  test('has an expression that gives its value', async () => {
    const name = fc.oneof(fc.constantFrom('and', 'first name', 'ünï', 'a.b', '0', 'x'), fc.string());
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.dictionary(name, tie('node'), { maxKeys: 4 }),
        fc.array(fc.dictionary(name, leaf, { maxKeys: 3 }), { minLength: 1, maxLength: 3 }),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }), async (data) => {
        const sample = { $nodes: { before: data } };
        for (const { path, value: expected } of searchData({ value: data, type: {} }, '').hits.slice(0, 20)) {
          const expression = toExpression('before', path);
          if (expression === null) continue;
          const outcome = await evaluateOnSample(expression, 'template', sample, {
            nodes: ['before'],
            variables: null,
          });
          expect(outcome).toEqual({ kind: 'value', value: expected });
        }
      }),
      { numRuns: 100 },
    );
  });

  test('is shown with its type, and before anyone has seen it', () => {
    const item = { type: 'object', properties: { sku: { type: 'string' } } };
    const type = {
      type: 'object',
      properties: { id: { type: 'string' }, items: { type: 'array', items: item } },
    };
    const items = { value: UNSEEN, type: type.properties.items };
    expect(rowsOf({ value: { id: 7, more: 1 }, type }, 50)).toEqual([
      ['id', { value: 7, type: { type: 'string' } }],
      ['more', { value: 1, type: {} }],
      ['items', items],
    ]);
    expect(rowsOf(items, 50)).toEqual([[0, { value: UNSEEN, type: item }]]);
    expect(searchData({ value: UNSEEN, type }, 'sku').hits.map(({ path }) => path)).toEqual([
      ['items', 0, 'sku'],
    ]);
    expect([UNSEEN, {}, [], 'text'].map((value) => countRows({ value, type }))).toEqual([2, 2, 0, null]);
    expect(countRows({ value: UNSEEN, type: {} })).toBeNull();
  });

  test('is found by its name or its value, within bounds', () => {
    const data = { body: { items: [{ Price: 3 }, { name: 'price list' }] } };
    expect(searchData({ value: data, type: {} }, 'price').hits.map(({ path }) => path)).toEqual([
      ['body', 'items', 0, 'Price'],
      ['body', 'items', 1, 'name'],
    ]);
    const many = searchData({ value: Array.from({ length: 300_000 }, (_, n) => n), type: {} }, 'no such');
    expect(many).toEqual({ hits: [], isPartial: true });
    let deep: unknown = 'end';
    for (let depth = 0; depth < 50_000; depth++) deep = { a: deep };
    expect(searchData({ value: deep, type: {} }, 'end')).toEqual({ hits: [], isPartial: true });
  });

  test('is shown as a table if it is a list of objects', () => {
    const items = Array.from({ length: 60 }, (_, n) => ({ n, [`c${n}`]: 1 }));
    const [table] = findTables({ body: { items, plain: [1, 2] } });
    expect(table).toMatchObject({ path: ['body', 'items'], count: 60 });
    expect(table?.rows).toHaveLength(50);
    expect(table?.columns).toHaveLength(20);
  });

  test('is shortened in a line', () => {
    expect(describeValue('x'.repeat(5_000_000))).toHaveLength(203);
  });
});
