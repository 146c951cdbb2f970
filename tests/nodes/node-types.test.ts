import { Emission, type HealthCheckResult, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { type NodeType, namesOfOutputs } from '@hookloom/plugin-kit/host';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { adaptUnified } from '../../lib/plugins/adapt-provider.ts';
import type { Plugin } from '../../lib/plugins/plugin.ts';
import flow from '../../nodes/flow/flow.ts';
import httpRequest from '../../nodes/http-request/http-request.plugin.ts';
import manualTrigger from '../../nodes/webhook/manual-trigger.ts';
import webhookTrigger from '../../nodes/webhook/webhook-trigger.ts';
import { checkSchema } from '../../packages/authoring/validation/schema/check-schema.ts';
import { aManualClock } from '../support/a-manual-clock.ts';
import { aContextAnswering, aDelivery, aNode } from '../support/a-node-context.ts';
import { aRecordingLogger } from '../support/a-recording-logger.ts';

interface Example {
  readonly kind: NodeType['kind'];
  readonly pure: boolean;
  readonly parameters: JsonObject;
  /** Each is wrong in one parameter, whose name must be in the error. */
  readonly wrong: readonly (readonly [name: string, parameters: JsonObject, got: string])[];
}

/** What no error may repeat. */
const SECRET = 'correct horse battery staple';

const url = 'https://api.example.com/';

const examples: Readonly<Record<string, Example>> = {
  webhookTrigger: { kind: 'trigger', pure: true, parameters: { path: '/orders', method: 'PUT' }, wrong: [] },
  manualTrigger: { kind: 'trigger', pure: true, parameters: {}, wrong: [] },
  httpRequest: {
    kind: 'action',
    pure: false,
    parameters: { url, method: 'POST', body: { a: 1 }, query: { q: 1 }, headers: { 'x-a': 'b' } },
    wrong: [
      ['url', {}, 'nothing'],
      ['url', { url: null }, 'null'],
      ['url', { url: [SECRET] }, 'array'],
      ['method', { url, method: { a: SECRET } }, 'object'],
      ['headers', { url, headers: SECRET }, 'string'],
      ['headers.x-key', { url, headers: { 'x-key': [SECRET] } }, 'array'],
      ['query', { url, query: [SECRET] }, 'array'],
      ['query.q', { url, query: { q: { a: SECRET } } }, 'object'],
      ['query.q', { url, query: { q: [[SECRET]] } }, 'array'],
      ['body', { url, bodyType: 'text', body: { a: SECRET } }, 'object'],
      ['body', { url, bodyType: 'form', body: SECRET }, 'string'],
      ['body.a', { url, bodyType: 'form', body: { a: { b: SECRET } } }, 'object'],
      ['bodyType', { url, bodyType: SECRET }, 'string'],
      ['maxRedirects', { url, maxRedirects: SECRET }, 'string'],
      ['maxResponseBytes', { url, maxResponseBytes: SECRET }, 'string'],
      ['failOnStatus', { url, failOnStatus: SECRET }, 'string'],
    ],
  },
  set: {
    kind: 'action',
    pure: true,
    parameters: { values: { a: 1 }, keepInput: true },
    wrong: [
      ['values', {}, 'nothing'],
      ['values', { values: [SECRET] }, 'array'],
      ['values', { values: SECRET }, 'string'],
      ['keepInput', { values: {}, keepInput: SECRET }, 'string'],
    ],
  },
  if: {
    kind: 'action',
    pure: true,
    parameters: { condition: true },
    wrong: [
      ['condition', {}, 'nothing'],
      ['condition', { condition: SECRET }, 'string'],
    ],
  },
  switch: {
    kind: 'action',
    pure: true,
    parameters: { value: 1, cases: [{ equals: 1, output: 'one' }], fallback: 'other' },
    wrong: [
      ['cases', { value: 1 }, 'nothing'],
      ['cases', { value: 1, cases: SECRET }, 'string'],
      ['cases[1]', { value: 1, cases: [{ equals: 1, output: 'one' }, SECRET] }, 'string'],
      ['cases[0].output', { value: 1, cases: [{ equals: SECRET, output: [SECRET] }] }, 'array'],
      ['fallback', { value: SECRET, cases: [], fallback: { a: SECRET } }, 'object'],
    ],
  },
  merge: {
    kind: 'action',
    pure: true,
    parameters: { mode: 'byNode' },
    wrong: [
      ['mode', { mode: SECRET }, 'string'],
      ['mode', { mode: null }, 'null'],
    ],
  },
  filter: {
    kind: 'action',
    pure: true,
    parameters: { condition: true },
    wrong: [
      ['condition', {}, 'nothing'],
      ['condition', { condition: [SECRET] }, 'array'],
    ],
  },
  respondToWebhook: {
    kind: 'action',
    pure: true,
    parameters: { status: 201, headers: { 'x-a': 'b' }, body: { a: 1 } },
    wrong: [
      ['status', { status: SECRET }, 'string'],
      ['headers', { headers: [SECRET] }, 'array'],
      ['headers.x-key', { headers: { 'x-key': { a: SECRET } } }, 'object'],
    ],
  },
};

const plugins: readonly Plugin[] = [webhookTrigger, manualTrigger, httpRequest, flow].map(adaptUnified);
const nodeTypes = plugins.flatMap((plugin) => plugin.nodeTypes);

test('there is an example for every node type', () => {
  expect(nodeTypes.map(({ nodeType }) => nodeType).sort()).toEqual(Object.keys(examples).sort());
});

/** Nothing in it can be changed; what tries throws. */
const frozen = <Value extends JsonValue>(value: Value): Value => {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};

const run = async (nodeType: NodeType, parameters: JsonObject, input: JsonObject = {}) => {
  const { context } = aContextAnswering();
  const executor = await nodeType.getExecutor();
  const inputs = [aDelivery('a', input)];
  const result = await executor.execute(aNode(nodeType.nodeType, parameters), input, { ...context, inputs });
  return result instanceof Emission ? result.outputs : { main: result };
};

/** The outputs that a connection may start from, and the answer to the caller. */
const declaredBy = ({ outputs }: NodeType, parameters: JsonObject): string[] => [
  ...namesOfOutputs(outputs, parameters),
  'response',
];

describe.each(nodeTypes.map((nodeType) => [nodeType.nodeType, nodeType] as const))('%s', (name, nodeType) => {
  const { kind, pure, parameters, wrong } = examples[name] ?? {
    kind: 'action',
    pure: false,
    parameters: {},
    wrong: [],
  };

  test('describes itself', () => {
    expect(nodeType).toMatchObject({ kind, pure });
    for (const text of [nodeType.name, nodeType.description, nodeType.category]) expect(text).not.toBe('');
  });

  test('has an executor with its own name', async () => {
    const executor = await nodeType.getExecutor();
    expect(executor.getNodeType()).toBe(name);
  });

  test('has a schema that accepts the example and allows no other parameter', () => {
    expect(nodeType.schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(checkSchema(nodeType.schema, parameters, '')).toEqual([]);
    expect(checkSchema(nodeType.schema, { ...parameters, unheardOf: 1 }, '')).toEqual([
      { path: '', message: expect.stringContaining('has the unknown key "unheardOf"') },
    ]);
  });

  test('outputs plain JSON on declared outputs, and leaves its input unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), async (data) => {
        const input = frozen(JSON.parse(JSON.stringify(data)));
        const outputs = await run(nodeType, frozen({ ...parameters }), input);
        expect(declaredBy(nodeType, parameters)).toEqual(expect.arrayContaining(Object.keys(outputs)));
        for (const output of Object.values(outputs)) {
          expect(output).toStrictEqual(JSON.parse(JSON.stringify(output)));
          expect(Array.isArray(output)).toBe(false);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('gives the same output for the same input', async () => {
    expect(await run(nodeType, parameters, { a: 1 })).toEqual(await run(nodeType, parameters, { a: 1 }));
  });

  for (const [place, parameters, got] of wrong) {
    test(`${place} that is ${got}: the error names both, but not the value`, async () => {
      const error: unknown = await run(nodeType, parameters).catch((error) => error);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(`Parameter "${place}" must be `);
      expect(String(error)).toMatch(new RegExp(`, got ${got}$`));
      expect(String(error)).not.toContain(SECRET);
    });
  }
});

describe('every plugin', () => {
  const withCheck = plugins.filter(({ healthCheck }) => healthCheck !== undefined);
  test.each(withCheck.map((plugin) => [plugin.id, plugin] as const))(
    '%s reports that it is healthy',
    async (_id, plugin) => {
      const context = {
        logger: aRecordingLogger().logger,
        clock: aManualClock(),
        signal: new AbortController().signal,
      };
      expect(await plugin.healthCheck?.(context)).toEqual({ status: 'healthy' } satisfies HealthCheckResult);
    },
  );

  test.each(plugins.map((plugin) => [plugin.id, plugin] as const))(
    '%s has what a listing shows',
    (_id, plugin) => {
      expect(plugin).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/), dependencies: [] });
      for (const text of [plugin.name, plugin.description, plugin.category]) expect(text).not.toBe('');
    },
  );
});

test('the flow plugin is unhealthy when one of its handles no longer delivers', async () => {
  const [broken] = flow.handles;
  const before = broken?.execute;
  expect(before).toBeDefined();
  // What stands in for a faulty release: the handles are values, and this one forgets its input.
  Object.assign(broken ?? {}, { execute: () => ({}) });
  try {
    expect(await adaptUnified(flow).healthCheck?.({} as never)).toEqual({
      status: 'unhealthy',
      message: 'set did not deliver its input on "main"',
    });
  } finally {
    Object.assign(broken ?? {}, { execute: before });
  }
});
