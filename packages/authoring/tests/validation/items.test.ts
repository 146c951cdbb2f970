import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { validateWorkflow } from '../../validation/validate.ts';

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

/** A list of orders, of each of which the lines are handled; texts are read by nodes at several places. */
const check = async (texts: {
  readonly inner?: string;
  readonly third?: string;
  readonly after?: string;
  readonly before?: string;
}) => {
  const { inner = '1', third = '1', after = '1', before = '1' } = texts;
  const set = (id: string, x: string) => ({ id, type: 'set', parameters: { values: { x } as JsonObject } });
  const line = { type: 'object', properties: { sku: { type: 'string' } }, additionalProperties: false };
  const order = {
    type: 'object',
    properties: { id: { type: 'string' }, lines: { type: 'array', items: line } },
    additionalProperties: false,
  };
  const body = {
    type: 'object',
    properties: { orders: { type: 'array', items: order } },
    required: ['orders'],
  };
  const { problems, warnings } = await validateWorkflow(
    {
      ...{ id: 'w', name: 'W', format: 2 },
      nodes: [
        { id: 'start', type: 'webhookTrigger', parameters: { schema: body } },
        set('before', before),
        { id: 'each', type: 'forEach', parameters: { items: '{{ $trigger.body.orders }}' } },
        set('first', '1'),
        { id: 'lines', type: 'forEach', parameters: { items: '{{ $item.lines }}' } },
        set('inner', inner),
        set('third', third),
        set('after', after),
      ],
      connections: [
        ['start', 'before'],
        ['before', 'each'],
        ['each', 'first', 'each'],
        ['first', 'lines'],
        ['lines', 'inner', 'each'],
        ['lines', 'third'],
        ['each', 'after'],
      ].map(([sourceNodeId, targetNodeId, sourceOutput = 'main']) => ({
        sourceNodeId,
        sourceOutput,
        targetNodeId,
      })),
    },
    findNodeType,
  );
  return [...problems, ...warnings].map(({ path, message }) => `${path} ${message}`);
};

test('the item is readable in the whole body, nested ones too', async () => {
  expect(
    await check({
      inner:
        '{{ $item.sku & $nodes.lines.item.sku & $nodes.lines.index & $nodes.each.item.id & $nodes.each.index }}',
      third: '{{ $item.id & $nodes.each.item.id & $count($nodes.lines.results) }}',
      after: '{{ $count($nodes.each.results) }}',
    }),
  ).toEqual([]);
});

test('a field that the item does not have is told, of each body', async () => {
  expect(await check({ inner: '{{ $item.id }}', third: '{{ $item.sku }}' })).toEqual([
    '/nodes/5/parameters/values/x $item has no "id", but "sku"',
    '/nodes/6/parameters/values/x $item has no "sku", but "id", "lines"',
  ]);
  expect(await check({ inner: '{{ $nodes.each.item.sku }}', third: '{{ $nodes.each.results }}' })).toEqual([
    '/nodes/5/parameters/values/x $nodes.each.item has no "sku", but "id", "lines"',
    '/nodes/6/parameters/values/x $nodes.each has no "results", but "item", "index"',
  ]);
});

test.each(['after', 'before'])('$item is refused in a node that is in no body: %s', async (place) => {
  expect(await check({ [place]: '{{ $item.id }}' })).toEqual([
    expect.stringContaining('there is no $item: it is the item of a forEach, for the nodes of its body'),
  ]);
});

test('a variable of the name that the expression binds itself is no problem anywhere', async () => {
  const texts = [
    '{{ ($item := $trigger.body; $item.orders) }}',
    '{{ $map([1], function($item) { $item }) }}',
  ];
  for (const text of texts) expect(await check({ after: text, inner: text })).toEqual([]);
});

test('a node that can not be read is named with those that can', async () => {
  expect(await check({ third: '{{ $nodes.inner.x }}' })).toEqual([
    expect.stringMatching(
      /can't be read here: no connection leads from that node to this one; it can read \$nodes\.lines, \$nodes\.first, \$nodes\.each, \$nodes\.before, \$nodes\.start/,
    ),
  ]);
});
