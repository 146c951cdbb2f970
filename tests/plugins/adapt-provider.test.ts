import type { LegacyProperty } from '@hookloom/plugin-kit';
import { describe, expect, test } from '@jest/globals';
import { adaptUnified } from '../../lib/plugins/adapt-provider.ts';
import { adaptLegacy } from '../../lib/plugins/legacy-plugin.chunk.ts';
import { aHandle, aLegacyProvider, aProvider } from '../support/a-plugin.ts';

const toSchema = (properties: readonly LegacyProperty[]) =>
  adaptLegacy('ring', 'action', aLegacyProvider({ properties })).nodeTypes[0]?.schema;

describe('a legacy provider', () => {
  test.each<['trigger' | 'action', boolean | undefined, boolean]>([
    ['trigger', undefined, true],
    ['trigger', false, true],
    ['action', undefined, false],
    ['action', false, false],
    ['action', true, true],
  ])('as %s that says pure: %s is pure: %s', (kind, pure, expected) => {
    const provider = aLegacyProvider(pure === undefined ? {} : { pure });
    expect(adaptLegacy('ring', kind, provider).nodeTypes[0]?.pure).toBe(expected);
  });

  test('is called as a method of its own object', async () => {
    class Ringer {
      readonly tone = 'low';
      getExecutor() {
        return { getNodeType: () => 'ring', execute: () => ({ tone: this.tone }) };
      }
      healthCheck() {
        return { status: 'warning', message: this.tone } as const;
      }
    }
    const ringer = Object.assign(new Ringer(), {
      ...aLegacyProvider(),
      getExecutor: Ringer.prototype.getExecutor,
    });
    const plugin = adaptLegacy('ring', 'trigger', ringer);
    const executor = await plugin.nodeTypes[0]?.getExecutor();
    expect(executor?.execute({} as never, {}, {} as never)).toEqual({ tone: 'low' });
    expect(plugin.healthCheck?.({} as never)).toEqual({ status: 'warning', message: 'low' });
  });
});

describe('legacy properties as JSON Schema', () => {
  test.each(['string', 'number', 'boolean', 'object', 'array'] as const)('%s is that type', (type) => {
    expect(toSchema([{ name: 'p', displayName: 'P', type }])?.properties).toEqual({
      p: { title: 'P', type },
    });
  });

  test('a default is kept, whatever it is', () => {
    const defaults = [false, 0, '', null, []];
    for (const initial of defaults) {
      const schema = toSchema([{ name: 'p', displayName: 'P', type: 'any', default: initial }]);
      expect(schema?.properties).toEqual({ p: { title: 'P', default: initial } });
    }
  });

  test('an empty list becomes an object without keys', () => {
    expect(toSchema([])).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });
});

describe('a unified provider', () => {
  test.each<['trigger' | 'action', boolean, boolean]>([
    ['trigger', false, true],
    ['trigger', true, true],
    ['action', false, false],
    ['action', true, true],
  ])('with a handle for a %s that says pure: %s has a node type that is pure: %s', (kind, pure, expected) => {
    const plugin = adaptUnified(aProvider({ handles: [aHandle({ kind, pure })] }));
    expect(plugin.nodeTypes[0]).toMatchObject({ kind, pure: expected });
  });

  test('is called as a method of its own object', () => {
    class Greeter {
      readonly said: string[] = [];
      init() {
        this.said.push('init');
      }
      destroy() {
        this.said.push('destroy');
      }
      healthCheck() {
        this.said.push('healthCheck');
        return { status: 'healthy' } as const;
      }
    }
    const greeter = Object.assign(new Greeter(), aProvider());
    const plugin = adaptUnified(greeter);
    plugin.init?.({} as never);
    plugin.healthCheck?.({} as never);
    plugin.destroy?.();
    expect(greeter.said).toEqual(['init', 'healthCheck', 'destroy']);
  });

  test('works without dependencies and without any calls', () => {
    const { dependencies, init, destroy, healthCheck } = adaptUnified(aProvider());
    expect({ dependencies, init, destroy, healthCheck }).toStrictEqual({
      dependencies: [],
      init: undefined,
      destroy: undefined,
      healthCheck: undefined,
    });
  });
});
