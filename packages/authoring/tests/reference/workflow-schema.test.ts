import { findMistakes, findSchemaFault } from '@hookloom/bounded-schema';
import type { JsonObject, PluginHandle } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { Compile } from 'typebox/schema';
import { adaptUnified } from '../../../../lib/plugins/adapt-provider.ts';
import {
  describeNodeType,
  type NodeTypeDescription,
} from '../../../../lib/plugins/reference/describe-node-type.ts';
import { addFeatures } from '../../../../lib/webhooks/features/add-features.chunk.ts';
import { aHandle, aProvider } from '../../../../tests/support/a-plugin.ts';
import { aWorkflow } from '../../../../tests/support/a-workflow.ts';
import { pages, readSample, sampleNames, workflowsOf } from '../../../../tests/support/shown-workflows.ts';
import { loadNodeTypes, loadPlugins } from '../../../cli/plugins/node-types.ts';
import { createWorkflowSchema } from '../../reference/workflow-schema.ts';
import { validateWorkflow } from '../../validation/validate.ts';

const findNodeType = await loadNodeTypes();
const nodeTypes = (await loadPlugins()).flatMap(
  ({ plugin }) => plugin?.nodeTypes.map(describeNodeType).map(addFeatures) ?? [],
);
const schema = createWorkflowSchema(nodeTypes);

/** Compiled by a validator that is not ours. */
const isValid = (file: unknown): boolean => validator.Check(file);
const validator = Compile(schema);

/** The mistakes that an editor would mark, as `place keyword`. */
const mistakesIn = (file: unknown, within: JsonObject = schema): string[] =>
  findMistakes(within, file).map(({ place, keyword }) => `${place} ${keyword}`);

const toWorkflow = (node: object): JsonObject => ({
  id: 'w',
  name: 'W',
  nodes: [{ id: 'it', ...node }],
  connections: [],
});

test('the schema is a valid JSON Schema of draft-07, without keywords of ours', () => {
  expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
  expect(findSchemaFault(schema)).toBe(null);
  expect(JSON.stringify(schema)).not.toContain('withoutResult');
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});

test('editors offer the names of outputs with whose they are, and take any others', () => {
  const connection = (sourceOutput: unknown) => ({
    ...toWorkflow({ type: 'noOp' }),
    connections: [{ sourceNodeId: 'it', sourceOutput, targetNodeId: 'it' }],
  });
  const { connections } = schema.properties as { connections: JsonObject };
  const { sourceOutput } = (connections.items as { properties: { sourceOutput: { anyOf: JsonObject[] } } })
    .properties;
  const [{ enum: names, enumDescriptions } = {}] = sourceOutput.anyOf as {
    enum: string[];
    enumDescriptions: string[];
  }[];
  const offered = new Map(names?.map((name, at) => [name, enumDescriptions?.[at]]));
  expect(offered.get('each')).toBe('of forEach');
  expect(offered.get('error')).toContain('nodes with onError: route');
  expect(offered.get('main')).toBe('of many node types');
  expect(offered.size).toBe(names?.length);
  expect(['main', 'each', 'of a plugin'].map((name) => isValid(connection(name)))).toEqual([
    true,
    true,
    true,
  ]);
  expect([7, ''].map((name) => isValid(connection(name)))).toEqual([false, false]);
});

describe('a workflow that the service accepts is valid:', () => {
  test.each(sampleNames)('the sample %s, which names the schema', (name) => {
    const sample = readSample(name);
    expect(sample.$schema).toBe('./workflow.schema.json');
    expect(mistakesIn(sample)).toEqual([]);
    expect(isValid(sample)).toBe(true);
  });

  const shown = pages.filter((page) => workflowsOf(page).length > 0);
  test.each(shown)('what %s shows', async (page) => {
    for (const file of workflowsOf(page)) {
      // Parts of workflows lack nodes that others name.
      const { problems } = await validateWorkflow(file, findNodeType);
      const isPart = problems.some(({ message }) => /^(?:must be one of|no installed plugin)/.test(message));
      if (isPart) continue;
      expect({ file, mistakes: mistakesIn(file) }).toEqual({ file, mistakes: [] });
      expect(isValid(file)).toBe(true);
    }
  });

  test.each(nodeTypes)('the example of $nodeType', ({ nodeType: type, example }) => {
    const file = toWorkflow({ type, parameters: JSON.parse(JSON.stringify(example?.parameters ?? {})) });
    expect(mistakesIn(file)).toEqual([]);
    expect(isValid(file)).toBe(true);
  });

  test('with keys of other tools at the top', () => {
    expect(isValid({ ...aWorkflow(), meta: { tool: 'x' } })).toBe(true);
  });
});

describe('a mistake is refused at its place:', () => {
  test.each<[mistake: string, node: object, found: readonly string[]]>([
    ['an unknown node type', { type: 'sett' }, ['/nodes/0/type enum']],
    [
      'an unknown parameter',
      { type: 'limit', parameters: { items: [], count: 1, most: 2 } },
      ['/nodes/0/parameters additionalProperties'],
    ],
    [
      'a parameter of the wrong type',
      { type: 'limit', parameters: { items: [], count: true } },
      ['/nodes/0/parameters/count type', '/nodes/0/parameters/count type', '/nodes/0/parameters/count anyOf'],
    ],
    [
      'an unknown value',
      { type: 'limit', parameters: { items: [], count: 1, from: 'middle' } },
      ['/nodes/0/parameters/from enum', '/nodes/0/parameters/from pattern', '/nodes/0/parameters/from anyOf'],
    ],
    ['a missing parameter', { type: 'set', parameters: {} }, ['/nodes/0/parameters required']],
    ['missing parameters', { type: 'set' }, ['/nodes/0 required']],
    [
      'two parameters that exclude each other',
      { type: 'wait', parameters: { seconds: 1, until: '{{ body.at }}' } },
      ['/nodes/0/parameters oneOf'],
    ],
    [
      'an unknown key in a feature of a webhook',
      { type: 'webhookTrigger', parameters: { rateLimit: { requests: 1, seconds: 1, per: 'path', on: 1 } } },
      ['/nodes/0/parameters/rateLimit additionalProperties'],
    ],
    [
      'an expression in a trigger',
      { type: 'webhookTrigger', parameters: { responseMode: '{{ body.mode }}' } },
      ['/nodes/0/parameters/responseMode enum'],
    ],
    [
      'a credential for a node type that uses none',
      { type: 'set', parameters: { values: {} }, credentialId: 'crm' },
      ['/nodes/0/credentialId false'],
    ],
    [
      'an unknown setting',
      { type: 'noOp', settings: { retries: 3 } },
      ['/nodes/0/settings additionalProperties'],
    ],
    ['an unknown key of a node', { type: 'noOp', config: {} }, ['/nodes/0 additionalProperties']],
  ])('%s', (_mistake, node, found) => {
    const file = toWorkflow(node);
    expect(mistakesIn(file)).toEqual(found);
    expect(isValid(file)).toBe(false);
  });

  test.each<[mistake: string, change: object, found: readonly string[]]>([
    ['an id with spaces', { id: 'a b' }, ['/id pattern']],
    ['$schema that is no string', { $schema: 1 }, ['/$schema type']],
    ['an unknown mode', { settings: { execution: 'fast' } }, ['/settings/execution enum']],
    [
      'an unknown key of a connection',
      { connections: [{ from: 'a', targetNodeId: 'b' }] },
      ['/connections/0 required', '/connections/0 additionalProperties'],
    ],
  ])('%s', (_mistake, change, found) => {
    const file = { ...aWorkflow(), ...change };
    expect(mistakesIn(file)).toEqual(found);
    expect(isValid(file)).toBe(false);
  });

  const closed = nodeTypes.filter((type) => type.schema.additionalProperties === false);
  test.each(closed)('an unknown parameter of $nodeType', ({ nodeType: type, example }) => {
    const file = toWorkflow({ type, parameters: { ...example?.parameters, 'no-such-parameter': 1 } });
    expect(mistakesIn(file)).toContain('/nodes/0/parameters additionalProperties');
    expect(isValid(file)).toBe(false);
  });
});

describe('the parameters of a node type', () => {
  /** The description of a node type with these declarations. */
  const describeHandle = (changes: Partial<PluginHandle>): NodeTypeDescription =>
    describeNodeType(
      adaptUnified(aProvider({ handles: [aHandle(changes)] })).nodeTypes[0] as Parameters<
        typeof describeNodeType
      >[0],
    );
  const schemaOf = (parameters: object, changes: Partial<PluginHandle> = {}): JsonObject =>
    createWorkflowSchema([
      describeHandle({
        schema: { type: 'object', additionalProperties: false, ...parameters },
        ...changes,
      }),
    ]);
  const isAllowed = (within: JsonObject, parameters: object): boolean => {
    const file = toWorkflow({ type: 'greet', parameters });
    const found = Compile(within).Check(file);
    expect(mistakesIn(file, within).length === 0).toBe(found);
    return found;
  };

  test.each<[limit: string, property: object, value: unknown, wrong: unknown]>([
    ['a number', { type: 'number', maximum: 3 }, 3, 4],
    ['one of several values', { enum: ['a', 'b'] }, 'b', 'c'],
    ['a constant', { const: 'a' }, 'a', 'b'],
    ['a text with a pattern', { type: 'string', pattern: '^a' }, 'ab', 'b'],
    ['a long text', { type: 'string', minLength: 6 }, 'abcdef', 'abcde'],
    ['a short text', { type: 'string', maxLength: 3 }, 'abc', 'abcd'],
    ['a list', { type: 'array', items: { type: 'boolean' } }, [true], ['true']],
    [
      'a list of different items',
      { type: 'array', prefixItems: [{ type: 'integer' }], items: false },
      [1],
      [1, 2],
    ],
    ['a map', { type: 'object', properties: { a: { type: 'null' } } }, { a: null }, { a: 0 }],
    ['a map of numbers', { additionalProperties: { type: 'number' } }, { a: 1 }, { a: 'b' }],
    ['a choice', { anyOf: [{ type: 'null' }, { type: 'number' }] }, null, 'x'],
  ])('that is %s may be an expression, whole and inside', (_limit, property, value, wrong) => {
    const within = schemaOf({ properties: { it: property } });
    expect(isAllowed(within, { it: value })).toBe(true);
    expect(isAllowed(within, { it: wrong })).toBe(false);
    expect(isAllowed(within, { it: '{{ x }}' })).toBe(true);
    for (const inside of insides(value)) expect(isAllowed(within, { it: inside })).toBe(true);
  });

  /** The value with an expression in the place of each of its parts. */
  const insides = (value: unknown): unknown[] => {
    if (Array.isArray(value)) return [value.map(() => '{{ x }}')];
    if (typeof value !== 'object' || value === null) return [];
    return [Object.fromEntries(Object.keys(value).map((key) => [key, '{{ x }}']))];
  };

  test('that is any text keeps its schema', () => {
    const text = { type: 'string', minLength: 1, description: 'Of a person' };
    const { definitions } = schemaOf({ properties: { name: text, any: {} } });
    expect(definitions).toMatchObject({ 'parameters.greet': { properties: { name: text, any: {} } } });
  });

  test('keeps its texts, default and examples where editors look for them', () => {
    const texts = { title: 'Most', description: 'How many', default: 3, examples: [1, 2] };
    const { definitions } = schemaOf({ properties: { most: { type: 'integer', ...texts } } });
    expect(definitions).toMatchObject({
      'parameters.greet': {
        properties: {
          most: { ...texts, anyOf: [{ type: 'integer' }, { $ref: '#/definitions/expression' }] },
        },
      },
    });
  });

  test('has the description and the example of the node type', () => {
    const { definitions } = schemaOf({}, { example: { parameters: { name: 'Ada' } } });
    expect(definitions).toMatchObject({
      'parameters.greet': { description: 'Says hello', examples: [{ name: 'Ada' }] },
      node: { properties: { type: { enum: ['greet'], enumDescriptions: ['Says hello'] } } },
    });
  });

  test.each<[string, Partial<PluginHandle>]>([
    ['that is literal', { literalParameters: ['it'] }],
    ['of a trigger', { kind: 'trigger' }],
  ])('%s takes no expression', (_case, changes) => {
    const within = schemaOf({ properties: { it: { type: 'number' } } }, changes);
    expect(isAllowed(within, { it: 1 })).toBe(true);
    expect(isAllowed(within, { it: '{{ x }}' })).toBe(false);
  });

  const modes = ['a', 'b'].map((mode) => ({
    properties: { mode: { const: mode }, [mode]: {} },
    required: ['mode', mode],
    additionalProperties: false,
  }));

  test('with alternatives may be an expression that decides between them', () => {
    const within = schemaOf({ additionalProperties: true, oneOf: modes });
    expect(isAllowed(within, { mode: 'a', a: 1 })).toBe(true);
    expect(isAllowed(within, { mode: '{{ x }}', a: 1 })).toBe(true);
    expect(isAllowed(within, { mode: 'a', b: 1 })).toBe(false);
  });

  test('under a condition is checked, and an expression does not meet the condition', () => {
    const within = schemaOf({
      properties: { mode: { enum: ['on', 'off'] }, at: { type: 'number' } },
      if: { properties: { mode: { const: 'on' } }, required: ['mode'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['at'], properties: { at: { minimum: 5 } } },
      else: { not: { required: ['at'] } },
    });
    expect(isAllowed(within, { mode: 'on', at: 5 })).toBe(true);
    expect(isAllowed(within, { mode: 'on', at: '{{ x }}' })).toBe(true);
    expect(isAllowed(within, { mode: 'on', at: 4 })).toBe(false);
    expect(isAllowed(within, { mode: 'on' })).toBe(false);
    expect(isAllowed(within, { mode: '{{ x }}', at: 5 })).toBe(false);
  });

  test('may refer to other parts of its schema', () => {
    const within = schemaOf({
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: {
        tree: {
          type: 'object',
          additionalProperties: false,
          properties: {
            size: { type: 'number' },
            branches: { type: 'array', items: { $ref: '#/$defs/tree' } },
          },
        },
      },
    });
    expect(isAllowed(within, { tree: { size: 1, branches: [{ size: '{{ x }}' }, '{{ y }}'] } })).toBe(true);
    expect(isAllowed(within, { tree: { branches: [{ branches: [{ size: 'x' }] }] } })).toBe(false);
  });

  test('of two node types are told apart by the type', () => {
    const [one, other] = ['number', 'boolean'].map((type, at) =>
      describeHandle({
        id: `type${at}`,
        schema: { type: 'object', required: ['it'], properties: { it: { type } } },
      }),
    ) as [NodeTypeDescription, NodeTypeDescription];
    const within = createWorkflowSchema([one, other]);
    expect(mistakesIn(toWorkflow({ type: 'type0', parameters: { it: 1 } }), within)).toEqual([]);
    expect(mistakesIn(toWorkflow({ type: 'type1', parameters: { it: true } }), within)).toEqual([]);
    expect(mistakesIn(toWorkflow({ type: 'type1', parameters: { it: 1 } }), within)).not.toEqual([]);
  });
});
