import { findErrors } from '@hookloom/bounded-schema';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { isUnknown, namesOfOutputs } from '@hookloom/plugin-kit/host';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { execute } from '../../../../../lib/engine/execute.ts';
import { inlineSteps } from '../../../../../lib/engine/steps.ts';
import { loadRegistry } from '../../../../../lib/plugins/load-registry.ts';
import type { WorkflowDefinition } from '../../../../../lib/workflows/definition/definition.ts';
import { loadNatives } from '../../../../../lib/workflows/expressions/language.chunk.ts';
import { compilePlan } from '../../../../../lib/workflows/plan/compile-plan.ts';
import { installedPlugins } from '../../../../../nodes/installed.ts';
import { aManualClock } from '../../../../../tests/support/a-manual-clock.ts';
import { noOtherWorkflows, silent } from '../../../../../tests/support/a-run.ts';
import { cases } from '../../../../../tests/support/deep.ts';
import { readDraftGraph } from '../../../validation/graph/draft-graph.ts';
import { createInferCalled } from '../../../validation/types/called-workflows.ts';
import { inferWorkflow } from '../../../validation/types/infer-workflow.ts';

// Whatever a workflow of pure nodes does: the data at each place is of the type that is inferred before the run.

const clock = aManualClock(Date.parse('2026-01-01T00:00:00.000Z'));
const { findNodeType } = await loadRegistry(installedPlugins, { logger: silent, clock });
const natives = await loadNatives();

const bodySchema = {
  type: 'object',
  required: ['total'],
  additionalProperties: false,
  properties: {
    total: { type: 'number' },
    name: { type: 'string' },
    ok: { type: 'boolean' },
    maybe: { type: ['string', 'null'] },
    kind: { enum: ['a', 'b', 3] },
    nested: {
      type: 'object',
      properties: { deep: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
    tags: { type: 'array', items: { type: 'string' } },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          sku: { type: 'string' },
          qty: { type: 'number' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
};

const word = fc.constantFrom('a', 'b', 'tea', '');
const line = fc.record(
  { sku: word, qty: fc.integer({ min: 0, max: 3 }), tags: fc.array(word, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const body = fc.record(
  {
    total: fc.integer({ min: 0, max: 9 }),
    name: word,
    ok: fc.boolean(),
    maybe: fc.constantFrom('x', null),
    kind: fc.constantFrom<JsonValue>('a', 'b', 3),
    nested: fc.record(
      { deep: fc.record({ n: fc.integer({ min: 0, max: 9 }), more: word }, { requiredKeys: [] }) },
      { requiredKeys: [] },
    ),
    tags: fc.array(word, { maxLength: 2 }),
    lines: fc.array(line, { maxLength: 2 }),
  },
  { requiredKeys: ['total'] },
);

const NAMES =
  'body total name ok maybe kind nested deep n tags lines sku qty items results groups a b x batches left value error input message'.split(
    ' ',
  );

const filter = fc.constantFrom(
  '',
  '',
  '',
  '',
  '[0]',
  '[-1]',
  '[qty > 1]',
  '[sku = "a"]',
  '[$ = "a"]',
  '[]',
  '[true]',
  '^(qty)',
  '^(>sku)',
);
const path = fc
  .tuple(
    fc.constantFrom('', '', '', '$trigger.', '$nodes.n0.', '$nodes.n1.', '$$.'),
    fc.array(fc.tuple(fc.constantFrom(...NAMES), filter), { minLength: 1, maxLength: 4 }),
  )
  .map(([root, steps]) => `${root}${steps.map(([name, by]) => name + by).join('.')}`);
/** Paths that lead somewhere. */
const knownPath = fc.constantFrom(
  ...[
    '',
    '[0]',
    '.sku',
    '.qty',
    '.tags',
    '[qty > 1].tags',
    '.tags[0]',
    '[]',
    '[0].tags',
    '.{"s": sku}',
    '.(qty * 2)',
    '^(qty)',
    '.[sku, qty]',
    '#$i.sku',
  ].map((end) => `$trigger.body.lines${end}`),
  ...[
    'name',
    'total',
    'maybe',
    'kind',
    'tags',
    'tags[0]',
    'nested',
    'nested.deep.n',
    'nested.deep',
    'lines.tags.$uppercase($)',
  ].map((end) => `$trigger.body.${end}`),
);
/** Paths to the items of loops, by which a node in a body reads them: outside of one, they give nothing. */
const itemPath = fc.constantFrom(
  ...['$item', '$nodes.n0.item', '$nodes.n1.item', '$nodes.n0b.item', '$nodes.n1b.item', 'item'].flatMap(
    (root) => ['', '.sku', '.qty', '.tags', '.tags[0]'].map((end) => root + end),
  ),
  '$nodes.n0.index',
  '$nodes.n1b.index',
);
const { expression } = fc.letrec<{ expression: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    path,
    knownPath,
    knownPath,
    itemPath,
    fc.constantFrom(
      '1',
      '"t"',
      'true',
      'null',
      '$',
      '$execution.id',
      '$now()',
      '[]',
      '{}',
      'items',
      'items.a',
      'body',
    ),
  ),
  expression: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    tie('leaf'),
    ...(
      [
        ([a, b]) => `(${a}) & (${b})`,
        ([a, b]) => `(${a}) = (${b})`,
        ([a, b, c]) => `(${c}) ? (${a}) : (${b})`,
        ([a, b]) => `[${a}, ${b}]`,
        ([a, b]) => `[[${a}], ${b}]`,
        ([a, b]) => `{"a": ${a}, "b": ${b}}`,
        ([a, b]) => `(${a}) ?? (${b})`,
        ([a, b]) => `($x := ${a}; $y := ${b}; $x)`,
        ([a, b]) => `($x := ${a}; [$x.sku, ${b}])`,
        ([a]) => `$count(${a})`,
        ([a]) => `$string(${a})`,
        ([a]) => `$map(${a}, function($i) { $i.sku })`,
        ([a, b]) => `$map(${a}, function($i) { {"i": $i, "b": ${b}} })`,
        ([a]) => `$filter(${a}, function($i) { $i.qty > 0 })`,
        ([a]) => `$single(${a}, function($i) { $i.qty = 1 })`,
        ([a]) => `$keys(${a})`,
        ([a, b]) => `$append(${a}, ${b})`,
        ([a]) => `$distinct(${a})`,
        ([a]) => `$split($string(${a}), "a")`,
        ([a]) => `(${a})[0]`,
        ([a]) => `(${a})[qty = 1]`,
        ([a]) => `(${a}).sku`,
        ([a]) => `(${a}).{"k": $, "q": qty}`,
        ([a]) => `[1..$count(${a})]`,
        ([a]) => `(${a}) ~> $count()`,
        ([a, b]) => `(${a}) in (${b})`,
        ([a]) => `$exists(${a})`,
        ([a]) => `$lookup(${a}, "sku")`,
        ([a]) => `$sum(${a}.qty)`,
        ([a]) => `(${a}){sku: qty}`,
        ([a]) => `(${a})@$l.($l.sku)`,
        ([a]) => `$each({"a": ${a}}, function($v, $k) { $v })`,
        ([a]) => `$merge([${a}, {"m": 1}])`,
        ([a]) => `-$count(${a}) + 1`,
      ] satisfies ((parts: readonly string[]) => string)[]
    ).map((write) => fc.array(tie('expression'), { minLength: 3, maxLength: 3 }).map(write)),
  ),
}));

const templated = fc.oneof(
  expression.map((text) => `{{ ${text} }}`),
  expression.map((text) => `it is {{ ${text} }}`),
  fc.constantFrom<JsonValue>('text', 7, true, null, ['a'], { c: 1 }),
);
const ofItem = itemPath.map((text) => `{{ ${text} }}`);
/** Lists for a loop in a body. */
const inBody = fc.constantFrom('{{ $item.tags }}', '{{ item }}', '{{ $trigger.body.lines }}', '{{ $item }}');
const list = fc.oneof(knownPath, expression).map((text) => `{{ ${text} }}`);
const field = fc.constantFrom('sku', 'qty', 'tags', 'a', 'tags.0', 'x.y');

const node = fc.oneof(
  fc
    .record({
      values: fc.dictionary(fc.constantFrom('a', 'b', 'items', 'body'), templated, { maxKeys: 3 }),
      keepInput: fc.boolean(),
    })
    .map((parameters) => ({ type: 'set', parameters })),
  fc
    .record({
      values: fc.dictionary(
        fc.constantFrom('a', 'b', 'items', 'body'),
        fc.record({ x: templated, y: fc.array(templated, { maxLength: 2 }) }),
        { maxKeys: 2 },
      ),
    })
    .map((parameters) => ({ type: 'set', parameters })),
  fc.constantFrom('merge', 'append', 'byNode').map((mode) => ({ type: 'merge', parameters: { mode } })),
  fc.constantFrom('if', 'filter').map((type) => ({ type, parameters: { condition: '{{ $exists(body) }}' } })),
  fc.constant({
    type: 'switch',
    parameters: { value: '{{ body.kind }}', cases: [{ equals: 'a', output: 'one' }], fallback: 'two' },
  }),
  fc.constant({ type: 'noOp', parameters: {} }),
  fc
    .tuple(fc.constantFrom('sort', 'removeDuplicates'), list)
    .map(([type, items]) => ({ type, parameters: { items } })),
  list.map((items) => ({ type: 'limit', parameters: { items, count: 2 } })),
  list.map((items) => ({ type: 'batch', parameters: { items, size: 2 } })),
  fc.tuple(list, field, fc.boolean()).map(([items, name, keepOthers]) => ({
    type: 'splitOut',
    parameters: { items, field: name, keepOthers },
  })),
  fc.tuple(list, field, fc.boolean()).map(([items, name, omitMissing]) => ({
    type: 'aggregate',
    parameters: { items, fields: { x: name, y: 'sku' }, omitMissing },
  })),
  fc
    .tuple(
      list,
      field,
      fc.constantFrom(
        'count',
        'countDistinct',
        'min',
        'max',
        'first',
        'last',
        'list',
        'distinct',
        'sum',
        'average',
        'median',
      ),
    )
    .map(([items, name, operation]) => ({
      type: 'summarize',
      parameters: {
        items,
        groupBy: { k: 'sku' },
        values: { v: { operation, field: name }, n: { operation: 'count' } },
      },
    })),
  fc
    .tuple(
      fc.option(list, { nil: undefined }),
      fc.array(fc.oneof(field, fc.constantFrom('body', 'body.total')), { maxLength: 2 }),
      fc.constantFrom('keep', 'remove'),
    )
    .map(([items, fields, mode]) => ({
      type: 'pick',
      parameters: { ...(items && { items }), fields, mode },
    })),
  fc.tuple(fc.option(list, { nil: undefined })).map(([items]) => ({
    type: 'renameKeys',
    parameters: { ...(items && { items }), names: { sku: 'id' } },
  })),
  fc.tuple(list, list).map(([left, right]) => ({ type: 'compareLists', parameters: { left, right } })),
  fc.tuple(templated).map(([value]) => ({
    type: 'validate',
    parameters: { value, schema: { type: ['object', 'string'], properties: { a: { type: 'string' } } } },
  })),
  fc
    .constantFrom('"a,b\n1,2"', 'body.name')
    .map((text) => ({ type: 'csv', parameters: { text: `{{ ${text} }}` } })),
  list.map((items) => ({ type: 'csv', parameters: { operation: 'write', items } })),
  fc.constant({ type: 'markdown', parameters: { markdown: '# {{ body.name }}' } }),
  fc
    .constantFrom<JsonObject>({}, { format: 'yyyy' }, { operation: 'difference', until: '2027-01-01' })
    .map((parameters) => ({ type: 'dateTime', parameters })),
  fc
    .tuple(list, templated, ofItem, fc.option(fc.tuple(inBody, templated, ofItem), { nil: undefined }))
    .map(([items, x, y, inner]) => ({
      type: 'forEach',
      parameters: { items },
      body: { type: 'set', parameters: { values: { item: '{{ item }}', x, y } } },
      ...(inner === undefined
        ? {}
        : { inner: { items: inner[0], values: { x: inner[1], y: inner[2], z: '{{ $item }}' } } }),
    })),
);

const settings = fc.constantFrom(
  {},
  {},
  { settings: { onError: 'continue' } },
  { settings: { onError: 'route' } },
);

/** A node that fails whenever a field is there. */
const failing = fc
  .constantFrom('body.ok', 'body.name', '$nodes.n0.error', 'error', '1')
  .map((of) => ({ type: 'set', parameters: { values: { a: `{{ $exists(${of}) ? $error("no") : 1 }}` } } }));

const ownNode = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: node }, { weight: 1, arbitrary: failing }), settings)
  .map(([made, own]) => ({ ...made, ...own }));

const workflow = fc
  .tuple(
    fc.constantFrom(1, 2),
    fc.array(fc.tuple(ownNode, fc.array(fc.tuple(fc.nat(5), fc.nat(3)), { minLength: 1, maxLength: 2 })), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([format, rows]) => {
    const start = { id: 'start', type: 'webhookTrigger', parameters: { schema: bodySchema } };
    const nodes: {
      readonly id: string;
      readonly type: string;
      readonly parameters: JsonObject;
      readonly settings?: { readonly onError: string };
    }[] = [start as never];
    const connections: { sourceNodeId: string; sourceOutput: string; targetNodeId: string }[] = [];
    const sources = [start as never] as typeof nodes;
    for (const [at, [made, from]] of rows.entries()) {
      const {
        body: first,
        inner,
        ...own
      } = made as {
        readonly type: string;
        readonly parameters: JsonObject;
        readonly body?: { readonly type: string; readonly parameters: JsonObject };
        /** A loop behind the node of the body, and what its own body sets. */
        readonly inner?: { readonly items: string; readonly values: JsonObject };
      };
      const id = `n${at}`;
      for (const [which, output] of from) {
        const source = sources[which % sources.length] as (typeof nodes)[number];
        const outputs = namesOfOutputs(findNodeType(source.type)?.outputs ?? [], source.parameters).filter(
          (name) => name !== 'each',
        );
        if (source.settings?.onError === 'route') outputs.push('error');
        const sourceOutput = outputs[output % outputs.length] ?? 'main';
        if (
          !connections.some(
            (one) =>
              one.sourceNodeId === source.id && one.sourceOutput === sourceOutput && one.targetNodeId === id,
          )
        )
          connections.push({ sourceNodeId: source.id, sourceOutput, targetNodeId: id });
      }
      nodes.push({ id, ...own });
      sources.push({ id, ...own });
      if (first === undefined) continue;
      const connect = (sourceNodeId: string, sourceOutput: string, targetNodeId: string) =>
        connections.push({ sourceNodeId, sourceOutput, targetNodeId });
      const last = inner === undefined ? 'b' : 'c';
      nodes.push({ id: `${id}${last}`, ...first });
      if (inner === undefined) connect(id, 'each', `${id}b`);
      else {
        const { items, values } = inner;
        nodes.push({ id: `${id}b`, type: 'forEach', parameters: { items, onItemFailure: 'continue' } });
        nodes.push({ id: `${id}d`, type: 'set', parameters: { values } });
        connect(id, 'each', `${id}c`);
        connect(`${id}c`, 'main', `${id}b`);
        connect(`${id}b`, 'each', `${id}d`);
      }
    }
    return { id: 'w', name: 'W', format, enabled: true, nodes, connections };
  });

/** What a workflow delivers to one that runs it, as if its trigger were the one for that. */
const inferCalledAs = async (definition: WorkflowDefinition): Promise<JsonObject> => {
  const nodes = definition.nodes.map((one) =>
    one.type === 'webhookTrigger' ? { ...one, type: 'manualTrigger' } : one,
  );
  const infer = createInferCalled(
    async () => ({ ...definition, nodes }),
    (name) => findNodeType(name === 'manualTrigger' ? 'webhookTrigger' : name),
  );
  const called = await infer({
    nodes: [{ id: 'run', type: 'subworkflow', parameters: { workflowId: 'w' } }],
  });
  return called.get('w')?.output ?? {};
};

/** What in a value is not of a type. */
const misfits = (type: JsonObject, value: unknown): unknown =>
  findErrors(
    JSON.parse(
      JSON.stringify(type, (key, inner) =>
        key === 'sequence' || (key === 'propertyNames' && isPlainObject(inner)) ? undefined : inner,
      ),
    ),
    value as JsonValue,
  ).map((error) => ({ ...error, value }));

test('data is of the types that are inferred before the run', async () => {
  const counts = { workflows: 0, checked: 0, known: 0, results: 0, inBodies: 0 };
  await fc.assert(
    fc.asyncProperty(workflow, body, async (definition, given) => {
      const graph = readDraftGraph(definition as never, findNodeType);
      const types = inferWorkflow(graph, natives);
      const request = {
        body: given,
        headers: {},
        queryParams: {},
        requestMethod: 'POST',
        requestPath: '/',
        remoteAddress: '192.0.2.1',
        triggeredAt: '2026-01-01T00:00:00.000Z',
      };
      const { nodes, status, output } = await execute(
        compilePlan(definition as never, findNodeType),
        {
          execution: {
            executionId: 'e',
            workflowId: 'w',
            workflowVersion: 1,
            trigger: { nodeId: 'start', type: 'webhookTrigger' },
            startedAt: '2026-01-01T00:00:00.000Z',
            stage: 'test',
          },
          input: request as JsonObject,
          limits: { timeoutMs: 1_000_000, maxNodeRuns: 10_000, maxOutputBytes: 1_000_000 },
        },
        {
          services: {
            clock,
            ids: { next: () => 'id' },
            http: { request: () => Promise.reject(new Error('none')) },
          },
          logger: silent,
          steps: inlineSteps(clock),
          workflows: noOtherWorkflows,
          callbacks: null,
        },
      );
      counts.workflows += 1;
      const result = await inferCalledAs(definition as never);
      if (status === 'succeeded') expect(misfits(result, output)).toEqual([]);
      if (status === 'succeeded' && !isUnknown(result)) counts.results += 1;
      for (const { nodeId, status: ended, input, outputs } of nodes) {
        if (ended !== 'succeeded' || !isPlainObject(outputs)) continue;
        const index = graph.indexOf.get(nodeId) ?? -1;
        const places: [string, JsonObject, unknown][] = Object.entries(outputs).map(([name, data]) => [
          name,
          types.outputOf(index, name),
          data,
        ]);
        if (nodeId !== 'start') places.push(['input', types.scopeOf(index).input, input]);
        if (/^n\d+[bcd]$/.test(nodeId)) counts.inBodies += 1;
        for (const [place, type, data] of places) {
          counts.checked += 1;
          if (Object.keys(type).length > 0) counts.known += 1;
          const wrong = misfits(type, data);
          expect({ nodeId, place, wrong, type: (wrong as unknown[]).length > 0 ? type : null }).toEqual({
            nodeId,
            place,
            wrong: [],
            type: null,
          });
        }
      }
    }),
    { numRuns: cases(300, 10_000) },
  );
  // Of most data something is known: the test does not hold because types are open.
  expect(counts.known / counts.checked).toBeGreaterThan(0.8);
  expect(counts.results / counts.workflows).toBeGreaterThan(0.2);
  expect(counts.inBodies).toBeGreaterThan(0);
});
