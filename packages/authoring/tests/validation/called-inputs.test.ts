import type { JsonObject } from '@hookloom/plugin-kit';
import type { FindNodeType } from '@hookloom/plugin-kit/host';
import { beforeAll, expect, test } from '@jest/globals';
import { loadNodeTypes } from '../../../cli/plugins/node-types.ts';
import { createInferCalled } from '../../validation/types/called-workflows.ts';
import { validateWorkflow } from '../../validation/validate.ts';

// A workflow declares the input of its trigger: a caller with another one gets a warning.

let findNodeType: FindNodeType;
beforeAll(async () => {
  findNodeType = await loadNodeTypes();
});

const orderSchema = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    total: { type: 'number' },
    kind: { enum: ['new', 'old'] },
    lines: {
      type: 'array',
      items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } },
    },
  },
};

const bodySchema = {
  type: 'object',
  required: ['id', 'number', 'note', 'lines', 'state'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    number: { type: 'number' },
    maybe: { type: ['string', 'null'] },
    note: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    state: { enum: ['sent', 'lost'] },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string' } },
      },
    },
    order: orderSchema,
  },
};

const check = async (caller: readonly JsonObject[], schema: JsonObject = orderSchema) => {
  const called = {
    ...{ id: 'ship', name: 'Ship', enabled: true, connections: [] },
    nodes: [{ id: 'start', type: 'manualTrigger', parameters: { schema } }],
  };
  const nodes = [{ id: 'hook', type: 'webhookTrigger', parameters: { schema: bodySchema } }, ...caller];
  const file = {
    ...{ id: 'shop', name: 'Shop' },
    nodes,
    connections: nodes
      .slice(1)
      .map(({ id }, at) => ({ sourceNodeId: nodes[at]?.id ?? '', targetNodeId: id as string })),
  };
  const inferCalled = createInferCalled(async () => called as never, findNodeType);
  const { problems, warnings } = await validateWorkflow(file, findNodeType, null, inferCalled);
  expect(problems).toEqual([]);
  return warnings.map(({ path, message }) => `${path}: ${message}`);
};

const call = (input?: JsonObject | string): JsonObject => ({
  id: 'call',
  type: 'subworkflow',
  parameters: { workflowId: 'ship', ...(input === undefined ? {} : { input }) },
});

const FIT = 'does not fit the schema of the workflow "ship"';
const INPUT = '/nodes/1/parameters/input';

test.each<[mistake: string, input: JsonObject | string | undefined, warning: string]>([
  ['a missing key', { total: 1 }, `${INPUT}: ${FIT}: lacks the key "id"`],
  ['a misspelt one', { idd: 'a' }, `${INPUT}: ${FIT}: has the unknown key "idd"; did you mean "id"?`],
  [
    'a constant',
    { id: 'a', kind: 'odd' },
    `${INPUT}/kind: ${FIT}: must be one of new, old; did you mean "old"?`,
  ],
  [
    'an expression of another type',
    { id: 'a', total: '{{ body.id }}' },
    `${INPUT}/total: ${FIT}: it is a string, where the workflow takes a number`,
  ],
  [
    'other choices',
    { id: 'a', kind: '{{ body.state }}' },
    `${INPUT}/kind: ${FIT}: it is none of "new", "old"`,
  ],
  [
    'items that lack a key',
    { id: 'a', lines: '{{ body.lines }}' },
    `${INPUT}/lines: ${FIT}: "[]" lacks the key "sku"`,
  ],
  [
    'an item that is written out',
    { id: 'a', lines: [{ sku: '{{ body.number }}' }] },
    `${INPUT}/lines/0/sku: ${FIT}: it is a number, where the workflow takes a string`,
  ],
  ['a whole object', '{{ body.note }}', `${INPUT}: ${FIT}: it has the unknown key "text"`],
  ['its own input', undefined, `/nodes/1/parameters: ${FIT}: it lacks the key "id"`],
])('%s is told', async (_, input, warning) => {
  expect(await check([call(input)])).toEqual([warning]);
});

test.each<[what: string, input: JsonObject | string | undefined, schema: JsonObject]>([
  ['what fits', { id: '{{ body.id }}', total: '{{ body.number }}', kind: 'new' }, orderSchema],
  ['a whole object that fits', '{{ body.order }}', orderSchema],
  ['what may be of the type', { id: '{{ body.maybe }}' }, orderSchema],
  ['what is not known', { id: '{{ headers.x }}', lines: '{{ $lookup(body, "lines") }}' }, orderSchema],
  ['a template that is a text', { id: 'A-{{ body.number }}' }, orderSchema],
  ['alternatives, one of which fits', { id: 1 }, { anyOf: [{ required: ['id'] }, { required: ['x'] }] }],
  ['a schema that leaves the rest open', undefined, { type: 'object', required: ['body'] }],
])('nothing is said of %s', async (_, input, schema) => {
  expect(await check([call(input)], schema)).toEqual([]);
});

test('behind a manual trigger with a schema, its fields are known', async () => {
  const read = (text: string, schema?: JsonObject) => {
    const nodes = [
      { id: 'start', type: 'manualTrigger', parameters: schema === undefined ? {} : { schema } },
      { id: 'read', type: 'set', parameters: { values: { x: text } } },
    ];
    const connections = [{ sourceNodeId: 'start', targetNodeId: 'read' }];
    return validateWorkflow({ id: 'w', name: 'W', nodes, connections }, findNodeType);
  };
  expect((await read('{{ ordr }}', orderSchema)).warnings).toMatchObject([
    { message: expect.stringMatching(/^the input has no "ordr", but .*"id"/) },
  ]);
  expect((await read('{{ $uppercase($trigger.total) }}', orderSchema)).warnings).toHaveLength(1);
  expect((await read('{{ id & triggeredAt }}', orderSchema)).warnings).toEqual([]);
  expect((await read('{{ ordr }}', { type: 'object' })).warnings).toEqual([]);
  expect((await read('{{ ordr }}')).warnings).toEqual([]);
});

test('a schema that no run could use is an error', async () => {
  const schema = { type: 'object', properties: { total: { type: 'nmber' } } };
  const nodes = [
    { id: 'start', type: 'manualTrigger', parameters: { schema } },
    { id: 'read', type: 'set', parameters: { values: { x: '{{ $string(total) }}' } } },
  ];
  const connections = [{ sourceNodeId: 'start', targetNodeId: 'read' }];
  const { problems, warnings } = await validateWorkflow(
    { id: 'w', name: 'W', nodes, connections },
    findNodeType,
  );
  expect(warnings).toEqual([]);
  expect(problems).toMatchObject([{ path: '/nodes/0/parameters/schema/properties/total/type' }]);
});
