import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { forEach } from '../../nodes/control/control.plugin.ts';
import { set } from '../../nodes/flow/flow-nodes.ts';
import { type ANode, runGraph } from '../support/a-run.ts';

// What the nodes of a body read of its item.

const aNode = (
  { execute, schema, control, pure }: typeof forEach | typeof set,
  parameters: JsonObject,
): ANode => ({
  does: execute,
  schema,
  pure: pure === true,
  parameters,
  ...(control === undefined ? {} : { control }),
});

const values = (own: JsonObject): ANode => aNode(set, { values: own });
const each = (items: JsonValue): ANode => aNode(forEach, { items });

test('each node of a body reads the item as $item, and by its forEach', async () => {
  const { output, failure } = await runGraph({
    nodes: {
      all: each('{{ list }}'),
      first: values({ a: 1 }),
      second: values({ b: '{{ $nodes.first.a }}' }),
      third: values({
        item: '{{ $item }}',
        id: '{{ $item.id }}',
        tags: '{{ $count($item.tags) }}',
        same: '{{ $nodes.all.item.id = $item.id }}',
        index: '{{ $nodes.all.index }}',
        b: '{{ b }}',
      }),
    },
    edges: ['start -> all', 'all.each -> first', 'first -> second', 'second -> third'],
    input: {
      list: [
        { id: 'x', tags: [1, 2] },
        { id: 'y', tags: [] },
      ],
    },
  });
  expect(failure).toBeNull();
  expect(output.results).toEqual([
    { item: { id: 'x', tags: [1, 2] }, id: 'x', tags: 2, same: true, index: 0, b: 1 },
    { item: { id: 'y', tags: [] }, id: 'y', tags: 0, same: true, index: 1, b: 1 },
  ]);
});

test('in a nested body, $item is the inner item, and others are read by node', async () => {
  const { output, failure } = await runGraph({
    nodes: {
      outer: each('{{ rows }}'),
      inner: each('{{ $item.cells }}'),
      set: values({
        at: '{{ $nodes.outer.index & ":" & $nodes.inner.index & " " & $nodes.outer.item.name & $item }}',
      }),
      after: values({ name: '{{ $item.name }}', cells: '{{ $nodes.inner.results.at }}' }),
      end: values({ names: '{{ results.name }}', item: '{{ $item }}' }),
    },
    edges: ['start -> outer', 'outer.each -> inner', 'inner.each -> set', 'inner -> after', 'outer -> end'],
    input: {
      rows: [
        { name: 'a', cells: [1, 2] },
        { name: 'b', cells: [3, 4] },
      ],
    },
  });
  expect(failure).toBeNull();
  expect(output).toEqual({ names: ['a', 'b'] });
});

test('a body of another kind keeps the item around it, and reads what begins it', async () => {
  const asks: ANode = {
    pure: false,
    control: { suspends: false, bodyOutput: 'asked' },
    does: async (_node, _input, { control }) => {
      const [result] = (await control?.runBodies([{ question: 'q', item: 'not this one' }])) ?? [];
      return result !== undefined && 'output' in result ? result.output : {};
    },
  };
  const { output } = await runGraph({
    nodes: {
      all: each('{{ list }}'),
      ask: asks,
      say: values({ text: '{{ $nodes.ask.question & $item & $nodes.all.item }}' }),
    },
    edges: ['start -> all', 'all.each -> ask', 'ask.asked -> say'],
    input: { list: ['x', 'y'] },
  });
  expect(output.results).toEqual([{ text: 'qxx' }, { text: 'qyy' }]);
});

test.each([
  ['{{ ($item := 5; $item) }}', 5],
  ['{{ $map([1, 2], function($item) { $item * 10 }) }}', [10, 20]],
])('what an expression binds itself is its own: %s', async (text, value) => {
  const { output } = await runGraph({
    nodes: { all: each('{{ list }}'), set: values({ value: text }) },
    edges: ['start -> all', 'all.each -> set'],
    input: { list: ['x'] },
  });
  expect(output.results).toEqual([{ value }]);
});
