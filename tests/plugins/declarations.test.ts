import type { JsonObject } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { adaptUnified } from '../../lib/plugins/adapt-provider.ts';
import { adaptLegacy, checkLegacy } from '../../lib/plugins/legacy-plugin.chunk.ts';
import { checkUnified } from '../../lib/plugins/metadata/check-metadata.ts';
import { aHandle, aLegacyProvider, aProvider } from '../support/a-plugin.ts';

const problemsOf = (change: object): string[] =>
  checkUnified('greeter', aProvider({ handles: [{ ...aHandle({ pure: false }), ...change }] }));

const anEventSource = () => ({
  prefix: 'ring-',
  toAddress: () => ({ workflowId: 'shop', triggerNodeId: 'start' }),
  toInput: (event: JsonObject) => event,
  toKey({ id }: JsonObject) {
    return `${this.prefix}${id}`;
  },
});

/** No JSON: `JSON.stringify` throws. */
const circular: Record<string, unknown> = {};
circular.self = circular;

describe('the declarations of a node type', () => {
  const nothing = {
    literalParameters: [],
    checkParameters: null,
    awsCalls: null,
    outputs: ['main'],
    inputs: ['main'],
    endsBranch: false,
    credentialTypes: [],
    firedBy: null,
  };

  test('have defaults in both plugin APIs', () => {
    expect(adaptUnified(aProvider()).nodeTypes[0]).toMatchObject(nothing);
    expect(adaptLegacy('ring', 'trigger', aLegacyProvider()).nodeTypes[0]).toMatchObject(nothing);
  });

  test('are read in both plugin APIs, and copied', () => {
    const declared = { outputs: ['a'], inputs: ['b'], endsBranch: true, credentialTypes: ['apiKey'] };
    const unified = adaptUnified(aProvider({ handles: [aHandle(declared)] })).nodeTypes[0];
    const legacy = adaptLegacy('ring', 'trigger', aLegacyProvider({ ...declared, firedBy: 'request' }))
      .nodeTypes[0];
    declared.outputs.push('late');
    expect(unified).toMatchObject({ ...declared, outputs: ['a'], firedBy: null });
    expect(legacy).toMatchObject({ ...declared, outputs: ['a'], firedBy: 'request' });
  });

  test('have event sources only for triggers', () => {
    const provider = aLegacyProvider({ firedBy: 'request' });
    expect(adaptLegacy('ring', 'action', provider).nodeTypes[0]?.firedBy).toBeNull();
    const handle = aHandle({ kind: 'action', firedBy: anEventSource() });
    expect(adaptUnified(aProvider({ handles: [handle] })).nodeTypes[0]?.firedBy).toBeNull();
  });

  test('may describe how an event fires it, in both plugin APIs, with methods that stay methods', () => {
    const handle = aHandle({ kind: 'trigger', firedBy: anEventSource() });
    const unified = adaptUnified(aProvider({ handles: [handle] })).nodeTypes[0]?.firedBy;
    const legacy = adaptLegacy('ring', 'trigger', aLegacyProvider({ firedBy: anEventSource() })).nodeTypes[0]
      ?.firedBy;
    for (const source of [unified, legacy]) {
      if (typeof source !== 'object' || source === null) throw new Error('there is no event source');
      const { toAddress, toInput, toKey } = source;
      expect(toAddress?.({ id: 1 })).toEqual({ workflowId: 'shop', triggerNodeId: 'start' });
      expect([toInput({ id: 1 }), toKey({ id: 1 })]).toEqual([{ id: 1 }, 'ring-1']);
    }
  });

  test('may compute outputs from the parameters, with a method of the handle', () => {
    const handle = {
      ...aHandle(),
      prefix: 'to-',
      outputs(parameters: object) {
        return Object.keys(parameters).map((key) => `${this.prefix}${key}`);
      },
    };
    const outputs = adaptUnified(aProvider({ handles: [handle] })).nodeTypes[0]?.outputs;
    expect(typeof outputs === 'function' && outputs({ x: 1 })).toEqual(['to-x']);
  });

  test.each<[object]>([
    [{ outputs: ['true', 'false'] }],
    [{ outputs: { true: {}, false: { type: 'object' } } }],
    [{ outputs: [] }],
    [{ outputs: () => [] }],
    [{ inputs: ['left', 'right'] }],
    [{ endsBranch: false }],
    [{ credentialTypes: [] }],
    [{ outputs: ['body'], control: { suspends: false, bodyOutput: 'body' } }],
    [{ outputs: () => ['body'], control: { suspends: false, bodyOutput: 'body' } }],
    [{ control: { suspends: true, waitSeconds: () => 5 } }],
    [{ kind: 'trigger', firedBy: anEventSource() }],
  ])('may have %j', (change) => {
    expect(problemsOf(change)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ outputs: 'main' }, 'outputs must be a function, or different names'],
    [{ outputs: ['a', 'a'] }, 'outputs must be a function, or different names'],
    [{ outputs: [''] }, 'outputs must be a function, or different names'],
    [{ outputs: { main: true } }, 'outputs must be a function, or different names'],
    [{ outputs: { error: {} } }, 'other than "error" and "response"'],
    [{ outputs: ['main', 'error'] }, 'other than "error" and "response"'],
    [{ outputs: ['response'] }, 'other than "error" and "response"'],
    [{ inputs: [7] }, 'inputs must be a list of different names'],
    [{ endsBranch: 'yes' }, 'endsBranch must be true or false'],
    [{ credentialTypes: 'apiKey' }, 'credentialTypes must be a list of different names'],
    [
      { control: { suspends: false, bodyOutput: 'body' } },
      'control.bodyOutput must be one of its outputs, not "body"',
    ],
    [
      { outputs: ['main'], control: { suspends: false, bodyOutput: 'body' } },
      'control.bodyOutput must be one of its outputs, not "body"',
    ],
    [{ control: { suspends: true, waitSeconds: 5 } }, 'control must be { suspends'],
    [{ firedBy: 'cron' }, 'firedBy must be one of request, subworkflow, or { toInput, toKey } with'],
    [{ firedBy: { ...anEventSource(), toKey: 'id' } }, 'or { toInput, toKey } with'],
    [{ example: {} }, 'example must be { parameters, input?, output? }, each a JSON object'],
    [{ example: { parameters: {}, output: 'Hello' } }, 'example must be'],
    [{ example: { parameters: {}, input: { at: 1n } } }, 'example must be'],
  ])('may not have %j', (change, problem) => {
    expect(problemsOf(change)).toEqual([expect.stringContaining(problem)]);
  });

  test('may not have what JSON cannot represent', () => {
    expect(problemsOf({ schema: circular })).toEqual([
      expect.stringContaining('schema must be a JSON Schema object'),
    ]);
    expect(problemsOf({ example: { parameters: circular } })).toEqual([
      expect.stringContaining('example must be'),
    ]);
    const property = { name: 'tone', displayName: 'Tone', type: 'any', default: circular };
    expect(checkLegacy('ring', { ...aLegacyProvider(), properties: [property] })).toEqual([
      expect.stringContaining('properties[0].default must be JSON'),
    ]);
  });

  test('are checked in the legacy API too', () => {
    expect(checkLegacy('ring', { ...aLegacyProvider(), outputs: ['error'], firedBy: 'cron' })).toEqual([
      expect.stringContaining('outputs must be'),
      expect.stringContaining('firedBy must be one of request, subworkflow, or { toInput, toKey } with'),
    ]);
    expect(checkLegacy('ring', aLegacyProvider({ firedBy: anEventSource() }))).toEqual([]);
  });
});

test('every field that is absent is reported as undefined, at any depth', () => {
  const reported = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0]);
  expect(reported(checkUnified('greeter', {}))).toEqual([
    'id',
    'name',
    'version',
    'description',
    'category',
    'handles',
  ]);
  const [problem] = checkUnified('greeter', aProvider({ handles: [{} as never] }));
  expect(problem).toMatch(/^handles\[0\]\.id must be .*, not undefined$/);
});

describe('a pattern of a legacy property', () => {
  const withPattern = (pattern: unknown) => ({
    ...aLegacyProvider(),
    properties: [{ name: 'tone', displayName: 'Tone', type: 'string', pattern }],
  });

  test('becomes part of its schema', () => {
    const provider = aLegacyProvider({
      properties: [{ name: 'tone', displayName: 'Tone', type: 'string', pattern: '^h' }],
    });
    expect(adaptLegacy('ring', 'action', provider).nodeTypes[0]?.schema).toMatchObject({
      properties: { tone: { type: 'string', pattern: '^h' } },
    });
    expect(checkLegacy('ring', withPattern('^h'))).toEqual([]);
  });

  test.each(['(', 7])('must be a regular expression, which %j is not', (pattern) => {
    expect(checkLegacy('ring', withPattern(pattern))).toEqual([
      expect.stringContaining('properties[0].pattern must be a regular expression'),
    ]);
  });
});
