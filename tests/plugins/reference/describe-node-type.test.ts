import type { ActionProvider, PluginHandle } from '@hookloom/plugin-kit';
import { expect, test } from '@jest/globals';
import { adaptUnified } from '../../../lib/plugins/adapt-provider.ts';
import { adaptLegacy } from '../../../lib/plugins/legacy-plugin.chunk.ts';
import { describeNodeType } from '../../../lib/plugins/reference/describe-node-type.ts';
import { aHandle, aLegacyProvider, aProvider } from '../../support/a-plugin.ts';

const describeHandle = (changes: Partial<PluginHandle>) =>
  adaptUnified(aProvider({ handles: [aHandle(changes)] })).nodeTypes.map(describeNodeType)[0];

const describeLegacy = (kind: 'trigger' | 'action', changes: Partial<ActionProvider>) =>
  adaptLegacy('ring', kind, aLegacyProvider(changes)).nodeTypes.map(describeNodeType)[0];

test('a handle is described by its declarations, with defaults for the rest', () => {
  const example = { parameters: { name: 'Ada' }, input: {}, output: { greeting: 'Hello, Ada' } };
  expect(describeHandle({ example, credentialTypes: ['slackToken'] })).toEqual({
    nodeType: 'greet',
    name: 'Greet',
    description: 'Says hello',
    category: 'example',
    kind: 'action',
    firedBy: null,
    inputs: ['main'],
    outputs: ['main'],
    outputSchemas: {},
    outputsDependOnParameters: false,
    deliveryDependsOnParameters: false,
    endsBranch: false,
    credentialTypes: ['slackToken'],
    credentialRequired: false,
    pure: true,
    control: null,
    schema: { type: 'object', additionalProperties: false },
    defaults: {},
    parametersWithOptions: [],
    literalParameters: [],
    example,
  });
});

test('a legacy provider is described in the same way, its properties as JSON Schema', () => {
  const example = { parameters: { tone: 'low' } };
  expect(describeLegacy('trigger', { example })).toMatchObject({
    nodeType: 'ring',
    kind: 'trigger',
    pure: true,
    schema: { properties: { tone: { title: 'Tone', type: 'string', default: 'high' } } },
    example,
  });
});

test('defaults of parameters are those of the schema, also when they are false or empty', () => {
  const properties = {
    a: { default: false },
    b: { default: { to: [] } },
    c: { type: 'string' },
    d: true,
  };
  expect(describeHandle({ schema: { type: 'object', properties } })).toMatchObject({
    defaults: { a: false, b: { to: [] } },
  });
});

test('traits that depend on the parameters say so', () => {
  expect(describeHandle({ pure: () => true, credentialRequired: () => true })).toMatchObject({
    pure: 'byParameters',
    credentialRequired: 'byParameters',
  });
});

test('a control node type has the output that leads to its body, and is JSON', () => {
  const control = { suspends: true, bodyOutput: 'each', waitSeconds: () => 5 };
  const description = describeHandle({ pure: false, control, outputs: ['each', 'main'] });
  expect(description).toMatchObject({ pure: false, control: { suspends: true, bodyOutput: 'each' } });
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
});

test('a trigger fired by events says so, without its functions', () => {
  const firedBy = {
    toAddress: () => ({ workflowId: 'w', triggerNodeId: 't' }),
    toInput: () => ({}),
    toKey: () => 'k',
  };
  expect(describeHandle({ kind: 'trigger', firedBy })).toMatchObject({ kind: 'trigger', firedBy: 'event' });
});

test('computed outputs come from the example', () => {
  const outputs: PluginHandle['outputs'] = ({ names }) => names as string[];
  expect(describeHandle({ outputs, example: { parameters: { names: ['a', 'b'] } } })).toMatchObject({
    outputs: ['a', 'b'],
    outputsDependOnParameters: true,
  });
});

test.each<[string, unknown]>([
  [
    'throws',
    () => {
      throw new Error('no cases');
    },
  ],
  ['returns nothing', () => undefined],
  ['returns other values than names', () => [1, 2]],
])('computed outputs that %s are unknown', (_case, outputs) => {
  expect(describeHandle({ outputs: outputs as never })).toMatchObject({
    outputs: null,
    outputsDependOnParameters: true,
  });
});
